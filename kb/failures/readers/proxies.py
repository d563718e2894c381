"""nginx and HAProxy: what keeps them from starting, and upstream servers that do not answer."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "proxies"
ABOUT = "nginx and HAProxy: configuration, ports, upstream servers"
EXAMPLE = """\
2026/11/29 09:40:15 [emerg] 281#281: host not found in upstream "billing" in /etc/nginx/conf.d/shop.conf:7
nginx: configuration file /etc/nginx/nginx.conf test failed
"""

_NGINX = r"(?:nginx: )?\[(?P<type>{level})\] (?:\d+#\d+: )?(?:\*\d+ )?"
_EMERG = _NGINX.format(level="emerg|alert")
_CRIT = _NGINX.format(level="crit|error")
_TAIL = r"(?:, client: .*|, server: .*|, upstream: .*)?$"
_HA = r"(?:\[(?:ALERT|WARNING)\] +(?:\d+/\d+ )?\(\d+\) : )"
_SHAPES = (
    shape(
        "emerg",
        rf"{_EMERG}(?P<message>still could not bind\(\))$",
        1,
        cascade="nginx had told before why it cannot bind",
    ),
    shape("emerg", rf"{_EMERG}(?P<message>.+?){_TAIL}", 0),
    shape(
        "nginx",
        r"nginx: (?P<message>configuration file \S+ test failed)$",
        1,
        cascade="the line before says what is wrong in it",
    ),
    shape(
        "error",
        rf"{_CRIT}(?P<message>open\(\) \".{{1,1000}}\" failed \(2: .*)$",
        1,
        harmless="a client asked for a file that is not there",
    ),
    shape(
        "error",
        rf"{_CRIT}(?P<message>(?:access forbidden by rule|directory index of .* is forbidden|user "
        rf"\".*\" (?:was not found|: password mismatch)|no user/password|SSL_do_handshake\(\) failed|client "
        rf"(?:sent|closed)|limiting (?:requests|connections)|invalid (?:host|header)).*)$",
        1,
        harmless="a client's request was refused",
    ),
    shape(
        "error",
        rf"{_CRIT}(?P<message>no live upstreams .*?){_TAIL}",
        1,
        cascade="every upstream server had failed before",
    ),
    shape("error", rf"{_CRIT}(?P<message>.+?){_TAIL}", 1),
    shape(
        "config",
        rf"{_HA}(?:config : )?(?P<message>(?:Error\(s\) found in configuration file|Fatal errors found "
        rf"in configuration|Some configuration options|[Pp]roxy .* started).*)$",
        1,
        cascade="the lines before say what is wrong in it",
    ),
    shape("config", rf"{_HA}config : (?:parsing \[\S+\] : )?(?P<message>.+)$", 0),
    shape(
        "bind",
        rf"{_HA}?(?P<message>(?:Binding \[\S+\] for|Starting) (?:frontend|proxy|listen) \S+: (?:cannot "
        rf"bind|some protocols failed).*)$",
        0,
    ),
    shape(
        "backend down",
        rf"{_HA}?(?:backend '\S+' |backend \S+ |proxy '?\S+'? )(?P<message>has no server "
        rf"available!)$",
        1,
        cascade="its servers had failed their checks before",
    ),
    shape(
        "server down",
        rf"{_HA}?(?:Health check for )?(?P<message>(?:backup )?[Ss]erver \S+/\S+ is (?:going )"
        rf"?DOWN.*?)(?:, check duration:.*|\. \d+ active and .*)?$",
        1,
    ),
    shape(
        "worker died",
        rf"{_HA}?(?P<message>Current worker .{{0,40}}\(\d+\) exited with code (?!0\b|143\b|130\b)"
        rf"\d+.*)$",
        0,
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct message; what a client asked for in vain is harmless to the server."""
    yield from read_shapes(NAME, "server", lines, _SHAPES)
