"""Network servers that have words of their own: Apache, BIND, OpenVPN, rsyslog, OpenLDAP, Varnish, Supervisor."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import MILD, Stream

NAME = "daemons"
ABOUT = "Apache, BIND, OpenVPN, rsyslog, OpenLDAP, Varnish, Supervisor: what keeps them from starting"
EXAMPLE = """\
AH00526: Syntax error on line 8 of /etc/apache2/sites-enabled/shop.conf:
Invalid command 'ProxyPass', perhaps misspelled or defined by a module not included in the server configuration
"""

_BEFORE = "the lines before say what is wrong"
_SHAPES = (
    # --- Apache
    shape(
        "apache",
        r"(?P<message>AH000(?:15: Unable to open logs|16: Configuration Failed|13: Pre-configuration failed)"
        r"|no listening sockets available, shutting down)$",
        2,
        cascade=_BEFORE,
    ),
    shape("apache", r"(?P<message>AH\d{5}: HTTP: failed to make connection to backend: .*)$", 2, cascade=_BEFORE),
    # --- BIND
    shape("named", r"(?:dns_rdata_fromtext|dns_master_load): (?P<message>\S{1,400}:\d{1,7}: \S.*)$", 1),
    shape(
        "named",
        r"(?P<message>zone \S{1,300}: (?:loading from master file \S{1,400} failed: .*|not loaded due to errors\.)"
        r"|_default/\S{1,300}: .{1,200}|loading configuration: .*|exiting \(due to (?:fatal|early) error\))$",
        2,
        cascade=_BEFORE,
    ),
    shape("named", r"(?P<message>unable to listen on any configured interfaces|could not listen on .*)$", 1),
    # --- OpenVPN
    shape(
        "openvpn",
        r"(?P<message>(?:TCP: connect to \S{1,200} failed: |Cannot open TUN/TAP dev |AUTH: Received control message: "
        r"|TLS Error: (?!local/remote)|VERIFY ERROR: |Cannot resolve host address: |RESOLVE: Cannot ).*)$",
        1,
    ),
    # --- rsyslog
    shape(
        "rsyslogd",
        r"rsyslogd: (?P<message>(?:run failed with error|there are no active actions).*?)(?: \[v\S+ try \S+ \])?$",
        2,
        cascade=_BEFORE,
    ),
    shape(
        "rsyslogd",
        r"rsyslogd: (?P<message>(?:could not |cannot |can't |error |invalid |unknown |unable |input module name "
        r"|module '|.{1,300}: parameter ').*?)(?: \[v\S+ try \S+ \])?$",
        1,
    ),
    # --- OpenLDAP
    shape("slapd", r"(?:[0-9a-f.]{8,20} (?:0x[0-9a-f]+ )?)?(?P<message>Unrecognized database type \(\w+\))$", 1),
    shape("slapd", r"[0-9a-f.]{8,20} (?:0x[0-9a-f]+ )?(?P<message>\S{1,300}: line \d{1,6}: .*)$", 1),
    # --- Supervisor
    shape("supervisord", r"spawnerr: (?P<message>(?:can't find command|command at|unknown error) .*)$", 1),
    shape(
        "supervisord",
        r"(?:exited: \S{1,100} \((?:exit status [1-9]\d{0,3}|terminated by SIG(?!TERM|INT)\w+)(?: \(core dumped\))?; "
        r"not expected\)|gave up: \S{1,100} entered FATAL state, .*)$",
        2,
        cascade="the supervisor reports that a program ended; what the program printed says why",
    ),
)
_SYNTAX = re.compile(r"(?:AH\d{5}: )?Syntax error on line (?P<line>\d{1,6}) of (?P<file>\S{1,500}):$")
_LOADING = re.compile(r"loading configuration from ")
_NAMED = re.compile(r"(?P<message>\S{0,400}[./]\S{0,400}:\d{1,7}: \S.*)$")
_VCC = "Message from VCC-compiler:"
_MOST = 12


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct message; Apache and Varnish tell theirs below a line of their own."""
    loading = any(_LOADING.match(line.text) for line in lines)
    seen: dict[str, Find] = {}
    for index, line in enumerate(lines):
        find = None
        if index + 1 < len(lines) and _SYNTAX.match(line.text):
            said = lines[index + 1]
            find = spotted(NAME, "server", "apache", said.text.strip(), said, [line, said])
        elif line.text.strip() == _VCC and index + 1 < len(lines):
            find = _compiled(lines, index)
        elif loading and (match := _NAMED.match(line.text)) and line.level not in MILD:
            find = spotted(NAME, "server", "named", match["message"], line, [line], weight=1)
        if find is not None and first_said(seen, find.message, find):
            yield find
    yield from read_shapes(NAME, "server", lines, _SHAPES, quiet=frozenset({"debug"}))


def _compiled(lines: Stream, at: int) -> Find:
    """What Varnish's compiler says: the first line after its head, and the excerpt of the source below."""
    end = at + 2
    while end < min(at + _MOST, len(lines)) and lines[end].text.strip():
        end += 1
    said = lines[at + 1]
    return spotted(NAME, "build", "VCC", said.text.strip(), said, lines[at:end])
