"""The resolver hands over only addresses that may be dialled, judged at every resolution."""

from __future__ import annotations

from typing import Any

from twisted.internet.address import IPv4Address, IPv6Address

from crawler.resolver import CACHE_SECONDS, GuardedResolver
from wrac.net import DialPolicy


class FakeResolver:
    """Answers from a list of answers, one for each resolution; the last one stays."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    def resolveHostName(self, receiver: Any, name: str, port: int, types: Any, semantics: str) -> Any:  # noqa: N802
        assert types is None, "all families are asked for"
        self.asked += 1
        resolution = type("Resolution", (), {"name": name})()
        receiver.resolutionBegan(resolution)
        for text in self.answers[0]:
            receiver.addressResolved((IPv6Address if ":" in text else IPv4Address)("TCP", text, port))
        if len(self.answers) > 1:
            self.answers.pop(0)
        receiver.resolutionComplete()
        return resolution


class Receiver:
    """What an endpoint sees."""

    def __init__(self) -> None:
        self.addresses: list[tuple[str, int]] = []
        self.complete = 0

    def resolutionBegan(self, resolution: Any) -> None:  # noqa: N802
        pass

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        assert not self.complete
        self.addresses.append((address.host, address.port))

    def resolutionComplete(self) -> None:  # noqa: N802
        self.complete += 1


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def resolve(resolver: GuardedResolver, name: str, port: int = 443) -> list[tuple[str, int]]:
    receiver = Receiver()
    resolver.resolveHostName(receiver, name, port)
    assert receiver.complete == 1
    return receiver.addresses


def test_public_addresses_pass_all_of_them() -> None:
    resolver = GuardedResolver(FakeResolver(["8.8.8.8", "2606:4700::1111"]), DialPolicy(), Clock())
    assert resolve(resolver, "docs.example.org") == [("8.8.8.8", 443), ("2606:4700::1111", 443)]
    assert resolver.refusal("docs.example.org", 443) == ""


def test_one_private_address_refuses_the_host_and_says_why() -> None:
    resolver = GuardedResolver(FakeResolver(["8.8.8.8", "10.0.0.1"]), DialPolicy(), Clock())
    assert resolve(resolver, "Docs.example.org") == []
    assert "10.0.0.1" in resolver.refusal("docs.example.org", 443)


def test_an_unknown_host_is_no_refusal() -> None:
    resolver = GuardedResolver(FakeResolver([]), DialPolicy(), Clock())
    assert resolve(resolver, "docs.example.org") == []
    assert resolver.refusal("docs.example.org", 443) == ""


def test_rebinding_is_caught_when_the_name_is_resolved_again() -> None:
    clock, inner = Clock(), FakeResolver(["8.8.8.8"], ["127.0.0.1"])
    resolver = GuardedResolver(inner, DialPolicy(), clock)
    assert resolve(resolver, "rebind.example.org") == [("8.8.8.8", 443)]
    clock.now += CACHE_SECONDS - 1
    assert resolve(resolver, "rebind.example.org") == [("8.8.8.8", 443)], "the checked address is dialled"
    assert inner.asked == 1
    clock.now += 2
    assert resolve(resolver, "rebind.example.org") == []
    assert "loopback" in resolver.refusal("rebind.example.org", 443)


def test_a_refusal_is_forgotten_when_the_name_is_mended() -> None:
    clock = Clock()
    resolver = GuardedResolver(FakeResolver(["127.0.0.1"], ["8.8.8.8"]), DialPolicy(), clock)
    assert resolve(resolver, "docs.example.org") == []
    clock.now += CACHE_SECONDS + 1
    assert resolve(resolver, "docs.example.org") == [("8.8.8.8", 443)]
    assert resolver.refusal("docs.example.org", 443) == ""


def test_consent_is_for_one_port() -> None:
    policy = DialPolicy.of(["http://127.0.0.1:8000/"])
    resolver = GuardedResolver(FakeResolver(["127.0.0.1"]), policy, Clock())
    assert resolve(resolver, "127.0.0.1", 8000) == [("127.0.0.1", 8000)]
    assert resolve(resolver, "127.0.0.1", 22) == []
    assert resolver.refusal("127.0.0.1", 22)
    assert resolver.refusal("127.0.0.1", 8000) == ""


def test_literals_in_disguise_are_judged_by_what_they_resolve_to() -> None:
    resolver = GuardedResolver(FakeResolver(["127.0.0.1"]), DialPolicy(), Clock())
    for name in ("2130706433", "0x7f.1", "127.1", "::ffff:127.0.0.1"):
        assert resolve(resolver, name) == [], name
