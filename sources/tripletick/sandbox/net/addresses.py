"""Where the proxy of `net` may go: one address judged, as a table of networks, and the names of this network.

Covers what leads to this computer, to its neighbours and to a cloud's metadata, also where IPv6 wraps the
IPv4 address of it. What a name resolves to, and the exceptions, are proxy.py's.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Iterator
from typing import Literal

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Reach = Literal["public", "private", "never"]
HERE, NEAR, CLOUD = "this computer", "link-local", "the metadata of a cloud machine"
NEVER = (
    ("100.100.100.200/32", CLOUD),
    ("168.63.129.16/32", CLOUD),
    ("169.254.169.254/32", CLOUD),
    ("192.0.0.192/32", CLOUD),
    ("fd00:ec2::/32", CLOUD),
    ("fd20:ce::254/128", CLOUD),
    ("0.0.0.0/8", HERE),
    ("127.0.0.0/8", HERE),
    ("::/128", HERE),
    ("::1/128", HERE),
    ("169.254.0.0/16", NEAR),
    ("fe80::/10", NEAR),
    ("224.0.0.0/4", "multicast"),
    ("ff00::/8", "multicast"),
    ("240.0.0.0/4", "reserved"),
    ("100::/64", "reserved"),
)
"""Refused whatever the settings say: Alibaba's, Azure's, Oracle's, Amazon's and Google's metadata too."""
OWN_NETWORK = "in a private network"
PRIVATE = (
    "10.0.0.0/8",
    "100.64.0.0/10",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.168.0.0/16",
    # For benchmarks; VPN programs hand these out in the place of any name's address.
    "198.18.0.0/15",
    "64:ff9b:1::/48",
    "5f00::/16",
    "fc00::/7",
    "fec0::/10",
)
WRAPPERS = (
    ("::/96", 0),
    ("::ffff:0:0/96", 0),
    ("::ffff:0:0:0/96", 0),
    ("64:ff9b::/96", 0),
    ("2002::/16", 80),
    ("2001::/32", 64),
)
"""IPv4-compatible, mapped, translated, NAT64, 6to4, and Teredo's server: the bits to the right of the IPv4
address. Teredo's client and ISATAP follow rules of their own."""
TEREDO = ipaddress.ip_network("2001::/32")
ISATAP = 0x5EFE
LOCAL_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa")
"""Ends of names that only a network of one's own resolves (RFC 6761, 6762, 8375, and custom)."""

_never = tuple((ipaddress.ip_network(network), word) for network, word in NEVER)
_private = tuple(ipaddress.ip_network(network) for network in PRIVATE)
_wrappers = tuple((ipaddress.ip_network(network), shift) for network, shift in WRAPPERS)


def judge(text: str) -> tuple[Reach, str]:
    """Tell how far away an address is, and in words what it is; the worst of all that it wraps.

    Raises ValueError for what is no address.
    """
    address = ipaddress.ip_address(text.partition("%")[0])
    found = [_judge_one(each) for each in (address, *unwrap(address))]
    return max(found, key=lambda verdict: ("public", "private", "never").index(verdict[0]))


def _judge_one(address: Address) -> tuple[Reach, str]:
    if word := next((word for network, word in _never if address in network), ""):
        return "never", word
    if any(address in network for network in _private):
        return "private", OWN_NETWORK
    return "public", ""


def unwrap(address: Address) -> Iterator[ipaddress.IPv4Address]:
    """Give the IPv4 addresses that an IPv6 address carries."""
    if address.version == 4:
        return
    number = int(address)
    for network, shift in _wrappers:
        if address in network:
            yield _ipv4(number >> shift)
    if address in TEREDO:
        yield _ipv4(~number)
    if number >> 32 & 0xFDFFFFFF == ISATAP:
        yield _ipv4(number)


def _ipv4(number: int) -> ipaddress.IPv4Address:
    return ipaddress.IPv4Address(number & 0xFFFFFFFF)


def is_own(text: str) -> bool:
    """Tell whether this computer bears the address, or one that it wraps."""
    address = ipaddress.ip_address(text.partition("%")[0])
    return any(_sends_from(each) for each in (address, *unwrap(address)))


def _sends_from(address: Address) -> bool:
    """Tell whether the kernel would send to the address from that very address. Nothing is sent."""
    family = socket.AF_INET if address.version == 4 else socket.AF_INET6
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((str(address), 9))
            return ipaddress.ip_address(probe.getsockname()[0]) == address
    except OSError:
        return False


def is_local_name(name: str) -> bool:
    """Tell whether a name, by its looks, is one of a network of one's own."""
    plain = name.rstrip(".").lower()
    return "." not in plain or plain.endswith(tuple(f".{end}" for end in LOCAL_NAMES))
