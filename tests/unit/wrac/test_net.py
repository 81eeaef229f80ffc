"""Which addresses may be dialled."""

from __future__ import annotations

import pytest

from wrac.errors import ConfigError
from wrac.net import DialPolicy, parse_address

PUBLIC = [
    "8.8.8.8",
    "1.1.1.1",
    "172.15.255.255",
    "172.32.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "198.17.255.255",
    "2606:4700::1111",
    "2a00:1450:4001:81b::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
]

PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "100.127.255.255",
    "198.18.0.1",
    "198.19.255.255",
    "::1",
    "fc00::1",
    "fd12:3456::1",
    "fec0::1",
]

FORBIDDEN = [
    "0.0.0.0",
    "0.1.2.3",
    "169.254.169.254",
    "169.254.0.1",
    "192.0.0.192",
    "100.100.100.200",
    "fd00:ec2::254",
    "192.0.2.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.255",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "ff02::1",
    "2001:db8::1",
    "3fff::1",
    "2001::1",
    "2001:0:4136:e378:8000:63bf:3fff:fdd2",
    "100::1",
    "::7f00:1",
    "::ffff:0:7f00:1",
    "64:ff9b:1::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:169.254.169.254",
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "2002:7f00:1::1",
    "2002:a00:1::",
    "2001:4860::5efe:10.0.0.1",
    "2001:4860::200:5efe:7f00:1",
]


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_need_no_consent(address: str) -> None:
    assert DialPolicy().refusal("docs.example.org", 443, [address]) == ""


@pytest.mark.parametrize("address", PRIVATE + FORBIDDEN)
def test_nothing_else_is_dialled(address: str) -> None:
    refusal = DialPolicy().refusal("docs.example.org", 443, [address])
    assert "docs.example.org" in refusal
    assert "allow_private" in refusal


def test_one_bad_record_refuses_the_host() -> None:
    policy = DialPolicy()
    assert policy.refusal("docs.example.org", 443, ["8.8.8.8", "2606:4700::1111"]) == ""
    assert "10.0.0.1" in policy.refusal("docs.example.org", 443, ["8.8.8.8", "10.0.0.1"])


def test_what_is_no_address_is_refused() -> None:
    assert DialPolicy().refusal("docs.example.org", 443, ["localhost"])


@pytest.mark.parametrize(
    ("start", "host", "port", "address"),
    [
        ("http://127.0.0.1:8000/docs/", "127.0.0.1", 8000, "127.0.0.1"),
        ("http://10.1.2.3/", "10.1.2.3", 80, "10.1.2.3"),
        ("https://[fd12::1]/", "fd12::1", 443, "fd12::1"),
        ("http://localhost:8000/", "localhost", 8000, "127.0.0.1"),
        ("http://localhost:8000/", "localhost", 8000, "::1"),
    ],
)
def test_a_literal_start_url_is_consent_for_its_host_and_port(start: str, host: str, port: int, address: str) -> None:
    policy = DialPolicy.of([start])
    assert policy.refusal(host, port, [address]) == ""
    assert policy.refusal(host, port + 1, [address])
    assert policy.refusal("docs.example.org", port, [address]), "a name that resolves there is not what was named"


def test_localhost_is_loopback_only() -> None:
    assert DialPolicy.of(["http://localhost/"]).refusal("localhost", 80, ["10.0.0.1"])


@pytest.mark.parametrize(
    "start", ["http://169.254.169.254/latest/", "http://0.0.0.0:8000/", "http://[::ffff:127.0.0.1]/"]
)
def test_naming_a_metadata_service_as_start_is_no_consent(start: str) -> None:
    assert DialPolicy.of([start]).endpoints == frozenset()


def test_a_public_name_as_start_is_no_consent() -> None:
    policy = DialPolicy.of(["http://docs.example.org:8000/"])
    assert policy.refusal("docs.example.org", 8000, ["127.0.0.1"])


def test_a_named_host_may_be_private_and_nothing_worse() -> None:
    policy = DialPolicy.of([], ["Docs.Internal"])
    assert policy.refusal("docs.internal", 443, ["10.0.0.5"]) == ""
    assert policy.refusal("docs.internal.", 443, ["10.0.0.5"]) == ""
    assert policy.refusal("docs.internal", 443, ["169.254.169.254"])
    assert policy.refusal("docs.internal", 443, ["::ffff:127.0.0.1"])
    assert policy.refusal("other.internal", 443, ["10.0.0.5"])


def test_a_named_network_covers_private_addresses_and_nothing_worse() -> None:
    policy = DialPolicy.of([], ["10.0.0.0/8", "169.254.0.0/16"])
    assert policy.refusal("any.example", 80, ["10.9.9.9"]) == ""
    assert policy.refusal("any.example", 80, ["192.168.0.1"])
    assert policy.refusal("any.example", 80, ["169.254.169.254"])
    assert DialPolicy.of([], ["0.0.0.0/0"]).refusal("any.example", 80, ["169.254.169.254"]), "there is no off switch"


def test_a_single_named_address_is_taken_at_its_word() -> None:
    assert DialPolicy.of([], ["169.254.169.254"]).refusal("any.example", 80, ["169.254.169.254"]) == ""


def test_the_message_names_what_to_write() -> None:
    policy = DialPolicy()
    assert 'allow_private = ["docs.internal"]' in policy.refusal("docs.internal", 443, ["10.0.0.5"])
    assert 'allow_private = ["10.0.0.5"]' in policy.refusal("10.0.0.5", 443, ["10.0.0.5"])
    assert 'allow_private = ["169.254.1.1"]' in policy.refusal("docs.internal", 443, ["169.254.1.1"])


@pytest.mark.parametrize("entry", ["", "https://docs.internal/", "docs internal", "10.0.0.0/99", "a/b"])
def test_nonsense_in_allow_private_is_a_configuration_error(entry: str) -> None:
    with pytest.raises(ConfigError, match="allow_private"):
        DialPolicy.of([], [entry])


def test_literals() -> None:
    assert str(parse_address("[::1]")) == "::1"
    assert str(parse_address("fe80::1%eth0")) == "fe80::1"
    assert parse_address("localhost") is None
    assert parse_address("127.1") is None
