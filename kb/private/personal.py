"""Which of the personal values that the rules find are about somebody: the rest stays, it is evidence."""

from __future__ import annotations

import os
import re
from functools import cache, lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from pathlib import Path

from kb.errors import Location, TableError
from kb.failures.tables import rows

#: What the rules find and yet is nobody's: words by what they are.
PUBLIC = Path(__file__).with_name("public.txt")
_PUBLIC_KINDS = ("user", "suffix", "domain", "first", "host", "address")

#: Networks that every machine has or that documents use: masking them would hide what happened and nobody's address.
_OPEN_NETWORKS: tuple[IPv4Network | IPv6Network, ...] = (
    *map(IPv4Network, ("127.0.0.0/8", "0.0.0.0/8", "255.0.0.0/8", "192.0.2.0/24", "198.51.100.0/24")),
    *map(IPv4Network, ("203.0.113.0/24", "224.0.0.0/4", "169.254.169.254/32")),
    *map(IPv6Network, ("::1/128", "::/128", "2001:db8::/32", "ff00::/8", "fd00:ec2::254/128")),
)
#: "version 1.2.3.4" is no address, whatever follows it.
_VERSIONS = frozenset(
    b"version release firmware driver revision build patch chrome ver rev v oid section clause".split()
)
_BETWEEN = b" \t:=\"'("
_LETTERS = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@cache
def _public(what: str) -> frozenset[str]:
    words: set[str] = set()
    for number, (kind, cell) in rows(PUBLIC, 2):
        if kind not in _PUBLIC_KINDS:
            raise TableError(
                f"unknown kind {kind!r}",
                location=Location(str(PUBLIC), number),
                hint="one of " + ", ".join(_PUBLIC_KINDS),
            )
        if kind == what:
            words.update(cell.split())
    return frozenset(words)


def is_personal(kind: str, line: bytes, start: int, end: int) -> bool:
    """Whether `line[start:end]`, found by a rule of this kind, is about somebody or somebody's network."""
    value = line[start:end].decode("ascii", "replace")
    if kind == "ip":
        before = line[max(0, start - 24) : start].rstrip(_BETWEEN)
        word = before[len(before.rstrip(_LETTERS)) :]
        return _is_address(value) and word.lower() not in _VERSIONS
    if kind == "email":
        return _is_email(value)
    if kind == "user":
        return (
            value.lower() not in _public("user") and not value.isdigit() and re.search("[A-Za-z0-9]", value) is not None
        )
    return _is_host(value)


@lru_cache(1 << 14)
def _is_address(value: str) -> bool:
    try:
        address: IPv4Address | IPv6Address = ip_address(value)
    except ValueError:
        return False
    return value not in _public("address") and not any(
        address in network for network in _OPEN_NETWORKS if network.version == address.version
    )


@lru_cache(1 << 12)
def _is_email(value: str) -> bool:
    user, _, domain = value.partition("@")
    domain = domain.lower()
    return (
        domain.rpartition(".")[2] not in _public("suffix")
        and user.lower() != "git"
        and not domain.endswith(tuple(_public("domain")))
    )


@lru_cache(1 << 12)
def _is_host(value: str) -> bool:
    lowered = value.lower()
    return lowered not in _public("host") and lowered.partition(".")[0] not in _public("first")


def own_host() -> str:
    """The name of this machine, "" when it has none that tells it apart from a word."""
    name = os.uname().nodename  # what socket.gethostname() gives, without loading the library of sockets
    plain = name.partition(".")[0]
    if len(plain) < 5 or plain.lower().startswith("localhost") or not re.search(r"[\d-]", plain):
        return ""
    return plain
