"""Which addresses may be dialled.

Pages are hostile: a link, a redirect, a sitemap or a name server may point at the machine that crawls, at its network
or at a cloud's metadata service. Only globally reachable unicast addresses are dialled (IANA special-purpose address
registries, RFC 6890), in every form that carries an IPv4 address inside an IPv6 one: mapped (RFC 4291), NAT64 (RFC
6052), 6to4 (RFC 3056), ISATAP (RFC 5214). Two consents of the operator widen that to private addresses:

- a start URL whose host is literally a private address or ``localhost``: that host and port;
- ``allow_private`` of the site profile: host names, addresses or networks. A single address named there is taken at
  its word; a host name or a network covers private addresses only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from wrac.errors import ConfigError
from wrac.urls import DEFAULT_PORTS, request_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


_PRIVATE: tuple[tuple[str, str], ...] = (
    ("10.0.0.0/8", "private, RFC 1918"),
    ("172.16.0.0/12", "private, RFC 1918"),
    ("192.168.0.0/16", "private, RFC 1918"),
    ("100.64.0.0/10", "carrier-grade NAT, RFC 6598"),
    ("127.0.0.0/8", "loopback"),
    ("198.18.0.0/15", "benchmarking, RFC 2544"),
    ("::1/128", "loopback"),
    ("fc00::/7", "unique local, RFC 4193"),
    ("fec0::/10", "site-local, RFC 3879"),
)
"""Where a network's own documentation may live: dialled with the operator's consent."""

_FORBIDDEN: tuple[tuple[str, str], ...] = (
    ("169.254.169.254/32", "cloud metadata service"),
    ("100.100.100.200/32", "cloud metadata service"),
    ("192.0.0.192/32", "cloud metadata service"),
    ("fd00:ec2::254/128", "cloud metadata service"),
    ("0.0.0.0/8", "this network, RFC 1122"),
    ("169.254.0.0/16", "link-local"),
    ("192.0.0.0/24", "protocol assignments, RFC 6890"),
    ("192.0.2.0/24", "documentation, RFC 5737"),
    ("198.51.100.0/24", "documentation, RFC 5737"),
    ("203.0.113.0/24", "documentation, RFC 5737"),
    ("192.88.99.0/24", "6to4 relay anycast, RFC 7526"),
    ("224.0.0.0/4", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("::/128", "unspecified"),
    ("fe80::/10", "link-local"),
    ("ff00::/8", "multicast"),
    ("64:ff9b:1::/48", "local-use NAT64, RFC 8215"),
    ("100::/64", "discard-only, RFC 6666"),
    ("2001::/23", "protocol assignments with Teredo, RFC 2928 and 4380"),
    ("2001:db8::/32", "documentation, RFC 3849"),
    ("3fff::/20", "documentation, RFC 9637"),
    ("5f00::/16", "segment routing, RFC 9602"),
)
"""Where no documentation is served from: dialled only where the profile names the very address."""


def _parsed(table: tuple[tuple[str, str], ...]) -> tuple[tuple[Network, str], ...]:
    return tuple((ip_network(text), label) for text, label in table)


_PRIVATE_NETWORKS, _FORBIDDEN_NETWORKS = _parsed(_PRIVATE), _parsed(_FORBIDDEN)
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_MAPPED = IPv6Network("::ffff:0:0/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_ISATAP = frozenset([0x00005EFE, 0x02005EFE])


@dataclass(frozen=True, slots=True)
class Finding:
    """Why an address is not dialled without consent."""

    label: str
    consentable: bool
    """Whether naming its host or network is consent enough; otherwise the very address must be named."""


@lru_cache(4_096)
def finding(address: Address) -> Finding | None:
    """What stands against dialling ``address``; None where it is globally reachable in every form it carries."""
    for network, label in _FORBIDDEN_NETWORKS:
        if address in network:
            return Finding(label, consentable=False)
    for network, label in _PRIVATE_NETWORKS:
        if address in network:
            return Finding(label, consentable=True)
    inner, form = _embedded(address)
    if inner is not None and (found := finding(inner)) is not None:
        return Finding(f"{form} of {inner}: {found.label}", consentable=False)
    if isinstance(address, IPv6Address):
        carries_global = inner is not None and form != "ISATAP"
        return None if carries_global or address in _GLOBAL_UNICAST else Finding("not global unicast", False)
    # The tables above are the registries of today; the interpreter's may be newer.
    return None if address.is_global else Finding("not globally reachable", False)


def _embedded(address: Address) -> tuple[IPv4Address | None, str]:
    """The IPv4 address that an IPv6 one stands for, with the name of the form."""
    if isinstance(address, IPv4Address):
        return None, ""
    number = int(address)
    if address in _MAPPED:
        return IPv4Address(number & 0xFFFFFFFF), "IPv4-mapped form"
    if address in _NAT64:
        return IPv4Address(number & 0xFFFFFFFF), "NAT64 form"
    if address in _6TO4:
        return IPv4Address(number >> 80 & 0xFFFFFFFF), "6to4 form"
    if number >> 32 & 0xFFFFFFFF in _ISATAP:
        return IPv4Address(number & 0xFFFFFFFF), "ISATAP"
    return None, ""


def parse_address(text: str) -> Address | None:
    """The address that ``text`` literally is, brackets and zone left out; None for a name."""
    try:
        return ip_address(text.strip("[]").partition("%")[0])
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class DialPolicy:
    """What the operator of one crawl consented to. Without any consent, only public addresses are dialled."""

    endpoints: frozenset[tuple[str, int]] = frozenset()
    """Hosts and ports of start URLs that are literally private addresses or ``localhost``."""
    hosts: frozenset[str] = frozenset()
    networks: tuple[Network, ...] = ()

    @classmethod
    def of(cls, start_urls: Iterable[str], allow_private: Iterable[str] = ()) -> DialPolicy:
        """The consents of a site profile. Raises ``ConfigError`` for an entry that is no host, address or network."""
        hosts: set[str] = set()
        networks: list[Network] = []
        for entry in allow_private:
            try:
                networks.append(ip_network(entry.strip("[]"), strict=False))
            except ValueError:
                hosts.add(_host_name(entry))
        endpoints = {endpoint for url in start_urls if (endpoint := _literal_endpoint(url)) is not None}
        return cls(frozenset(endpoints), frozenset(hosts), tuple(networks))

    def refusal(self, host: str, port: int, addresses: Sequence[str]) -> str:
        """Why a connection must not be made; empty where it may be made to every one of ``addresses``.

        One address that may not be dialled refuses the host: a name that answers with a public and a private address
        is an attack, or a set-up that the operator has to name.
        """
        name = host.strip("[]").rstrip(".").lower()
        for text in addresses:
            address = parse_address(text)
            if address is None:
                return f"{host} resolves to {text!r}, which is no address"
            found = finding(address)
            if found is None or self._consents(name, port, address, found):
                continue
            where = f"{host} is" if parse_address(name) else f"{host} resolves to {address}, which is"
            return f"{where} not public ({found.label}); {_next_step(host, address, found)}"
        return ""

    def _consents(self, name: str, port: int, address: Address, found: Finding) -> bool:
        for network in self.networks:
            if address in network and (found.consentable or network.prefixlen == network.max_prefixlen):
                return True
        if name in self.hosts:
            return found.consentable
        if (name, port) not in self.endpoints:
            return False
        literal = parse_address(name)
        return address == literal if literal is not None else address.is_loopback


def _next_step(host: str, address: Address, found: Finding) -> str:
    name = str(address) if parse_address(host) or not found.consentable else host
    return f'to crawl it all the same, write allow_private = ["{name}"] in the site profile'


def _literal_endpoint(url: str) -> tuple[str, int] | None:
    """Host and port of a start URL whose host needs no name server to be known as private."""
    parts = urlsplit(request_url(url))
    host = parts.hostname or ""
    port = parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    address = parse_address(host)
    if host == "localhost" or host.endswith(".localhost"):
        return host, port
    if address is None:
        return None
    found = finding(address)
    return (host, port) if found is not None and found.consentable else None


def _host_name(entry: str) -> str:
    host = urlsplit(request_url(f"http://{entry}/")).hostname
    if not host or "/" in entry or ":" in entry:
        raise ConfigError(
            f'allow_private: {entry!r} is no host name, address or network, e.g. "docs.internal" or "10.0.0.0/8"'
        )
    return host
