"""Name resolution that gives Twisted only addresses which may be dialled.

Twisted's endpoints resolve a name once and dial the addresses that came back, so checking here is checking at connect
time: a name that answers differently the next time (DNS rebinding) is judged again before anything is dialled. Literal
addresses pass through here as well, and so do robots.txt, sitemaps and every redirect.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from wrac.net import DialPolicy

CACHE_SECONDS = 300.0


class Resolution(Protocol):
    """``twisted.internet.interfaces.IHostResolution``, as a type."""

    name: str


class Receiver(Protocol):
    """``twisted.internet.interfaces.IResolutionReceiver``, as a type. Addresses are Twisted's, with host and port."""

    def resolutionBegan(self, resolution: Resolution) -> None:  # noqa: D102, N802
        ...

    def addressResolved(self, address: Any) -> None:  # noqa: D102, N802
        ...

    def resolutionComplete(self) -> None:  # noqa: D102, N802
        ...


class Resolver(Protocol):
    """``twisted.internet.interfaces.IHostnameResolver``, as a type."""

    def resolveHostName(  # noqa: D102, N802
        self, receiver: Receiver, name: str, port: int, types: Any, semantics: str, /
    ) -> Resolution: ...


class _Collecting:
    """Gathers all addresses of one resolution, then hands them over at once."""

    def __init__(self, began: Callable[[Resolution], None], done: Callable[[list[Any]], None]) -> None:
        self._addresses: list[Any] = []
        self._began = began
        self._done = done

    def resolutionBegan(self, resolution: Resolution) -> None:  # noqa: N802
        self._began(resolution)

    def addressResolved(self, address: Any) -> None:  # noqa: N802
        self._addresses.append(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._done(self._addresses)


class GuardedResolver:
    """A resolver in front of another that answers with nothing where ``policy`` refuses one of the addresses."""

    def __init__(self, inner: Resolver, policy: DialPolicy, clock: Callable[[], float]) -> None:
        self._inner = inner
        self._policy = policy
        self._clock = clock
        self._cache: dict[tuple[str, int], tuple[float, list[Any]]] = {}
        self._refusals: dict[tuple[str, int], str] = {}

    def refusal(self, host: str, port: int) -> str:
        """Why the latest resolution of ``host`` was refused; empty where it was not."""
        return self._refusals.get((host.strip("[]").lower(), port), "")

    def resolveHostName(  # noqa: N802
        self,
        resolutionReceiver: Receiver,  # noqa: N803
        hostName: str,  # noqa: N803
        portNumber: int = 0,  # noqa: N803
        addressTypes: Any = None,  # noqa: ARG002, N803
        transportSemantics: str = "TCP",  # noqa: N803
    ) -> Resolution:
        """See ``IHostnameResolver``: all addresses of all families, or none."""

        def judge(addresses: list[Any]) -> None:
            refusal = self._policy.refusal(hostName, portNumber, [address.host for address in addresses])
            if refusal:
                self._refusals[hostName.lower(), portNumber] = refusal
            else:
                self._refusals.pop((hostName.lower(), portNumber), None)
                for address in addresses:
                    resolutionReceiver.addressResolved(address)
            resolutionReceiver.resolutionComplete()

        def keep_and_judge(addresses: list[Any]) -> None:
            if addresses:
                self._cache[hostName, portNumber] = (self._clock() + CACHE_SECONDS, addresses)
            judge(addresses)

        expires, cached = self._cache.get((hostName, portNumber), (0.0, []))
        if expires > self._clock():
            known = _Resolved(hostName)
            resolutionReceiver.resolutionBegan(known)
            judge(cached)
            return known
        # Every family is asked for, whatever the caller wants: one bad record refuses the host.
        inner = _Collecting(resolutionReceiver.resolutionBegan, keep_and_judge)
        return self._inner.resolveHostName(inner, hostName, portNumber, None, transportSemantics)


class _Resolved:
    """A resolution that came out of the cache."""

    def __init__(self, name: str) -> None:
        self.name = name

    def cancel(self) -> None:
        """Nothing is under way."""
