"""curl, wget, git, ssh, rsync, openssl, dig: names, ports, certificates, keys, merges that fail."""

from __future__ import annotations

from collections.abc import Iterator

from kb.failures.found import Find
from kb.failures.readers.line_shapes import read_shapes, shape
from kb.failures.streams import Stream

NAME = "network"
ABOUT = "curl, wget, git, ssh, rsync, openssl, dig: names, ports, certificates, keys, merges"
EXAMPLE = """\
Cloning into 'tagger'...
ci@git.example: Permission denied (publickey).
fatal: Could not read from remote repository.

Please make sure you have the correct access rights
and the repository exists.
"""

_SAID = "the line before says why"
_SHAPES = (
    shape(
        "curl",
        r"(?P<type>curl: \(\d{1,3}\)) (?P<message>.*)$",
        1,
        more=r"More details here: https://curl|curl "
        r"(?:failed|performs) |establish a secure|how to fix it",
        again=r"Warning: Problem ?: .* Will retry in ",
    ),
    shape(
        "rate limit",
        r".{0,200}?(?P<message>(?:API|secondary) rate limit exceeded\b[^\"]{0,200}?)"
        r"(?:\.? (?:If|Please|for|But) .*|\",?|\.)?$",
        1,
    ),
    shape(
        "wget",
        r"wget: (?P<message>(?:unable to resolve host address|bad address|can't connect|server returned "
        r"error|unrecognized|missing URL).*)$",
        1,
    ),
    shape("wget", r"(?:\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )?(?P<message>ERROR [45]\d\d: .*)$", 1),
    shape(
        "wget",
        r"(?P<message>ERROR: (?:The certificate of .*|cannot verify .* certificate.*|no certificate "
        r"subject alternative name.*))$",
        1,
    ),
    shape(
        "wget",
        r"(?:Connecting|Reusing existing connection) .{1,400}?\.\.\. (?P<message>failed: .*)$",
        1,
        again=r"Retrying\.$",
    ),
    shape("wget", r"Resolving .{1,400}?\.\.\. failed: .*$", 1, harmless="wget says it again in a line of its own"),
    # --- git
    shape(
        "git",
        r"(?P<message>fatal: Could not read from remote repository\.|fatal: the remote end hung up.*|"
        r"fatal: early EOF|fatal: (?:index-pack|unpack-objects) failed|fatal: fetch-pack.*|fetch-pack: unexpected "
        r"disconnect.*)$",
        1,
        cascade=_SAID,
        more=r"$|Please make sure you have|and the repository exists",
    ),
    shape("git", r" ! (?P<message>\[(?:rejected|remote rejected)\] .*)$", 1),
    shape("git", r"error: (?P<message>failed to push some refs to .*)$", 1, cascade=_SAID),
    shape("git", r"(?P<message>CONFLICT \([\w/ ]{1,30}\): .*)$", 1),
    shape(
        "git",
        r"(?P<message>Automatic merge failed; fix conflicts.*|error: could not apply .*|error: Failed to "
        r"merge in the changes\.)$",
        1,
        cascade=_SAID,
    ),
    shape(
        "git",
        r"fatal: (?P<message>(?:unable to access|repository '|not a git repository|Authentication failed "
        r"for|could not read (?:Username|Password)|refusing to merge|couldn't find remote ref|ambiguous argument|"
        r"bad (?:object|revision)|remote error|protocol error|detected dubious ownership|destination path '|No url "
        r"found for submodule|clone of '|Unable to create '|bad config|invalid |pathspec |reference is not a tree|"
        r"Need to specify|Remote branch ).*)$",
        1,
    ),
    shape(
        "git",
        r"error: (?P<message>(?:pathspec '|RPC failed|Your local changes|object file|unable to (?:create|"
        r"write|unlink)|cannot (?:lock ref|pull)|src refspec|patch failed|index uses|insufficient permission).*)$",
        1,
    ),
    # --- ssh
    shape("ssh", r"(?P<message>ssh: (?:connect to host|Could not resolve hostname) .*)$", 1),
    shape("ssh", r"(?:\S{1,200}: )(?P<message>Permission denied \([\w,-]{1,200}\)\.)$", 1),
    shape(
        "ssh",
        r"@ {1,16}(?P<message>WARNING: (?:REMOTE HOST IDENTIFICATION HAS CHANGED|UNPROTECTED PRIVATE KEY "
        r"FILE)!) +@$",
        1,
    ),
    shape("ssh", r"(?P<message>No \w{1,20} host key is known for \S+ and you have requested strict checking\.)$", 1),
    shape(
        "ssh",
        r"(?P<message>Host key (?:verification failed\.|for \S+ has changed and you have requested strict "
        r"checking\.))$",
        1,
        cascade=_SAID,
    ),
    shape(
        "ssh", r"Unable to negotiate with \S+ port \d+: .*\[preauth\]$", 1, harmless="a stranger's attempt at the door"
    ),
    shape("ssh", r"(?P<message>Unable to negotiate with \S+ port \d+: no matching .*? found)\..*$", 1),
    shape(
        "ssh",
        r"(?P<message>kex_exchange_identification: .*|Load key \".*\": .*|Received disconnect from .*Too "
        r"many authentication failures.*|Bad owner or permissions on .*|Bad configuration option: .*)$",
        1,
    ),
    # of the server, and of a client that reads its settings
    shape("ssh", r"\S{1,300}:? line \d{1,6}: (?P<message>(?:Bad configuration option|Unsupported option): .*)$", 1),
    shape("ssh", r"(?P<message>Unable to load host key:? .*)$", 2),
    shape(
        "ssh",
        r"(?P<message>sshd: no hostkeys available -- exiting\.|\S{1,300}: terminating, \d{1,6} bad configuration "
        r"options|Cannot bind any address\.)$",
        2,
        cascade=_SAID,
    ),
    shape(
        "ssh",
        r"(?P<message>(?:scp: )?Connection closed|lost connection|client_loop: send disconnect: .*)$",
        2,
        cascade="the other side, or the line before, says why",
    ),
    shape("rsync", r"(?P<message>rsync error: .* \(code \d+\) at .*)$", 1, cascade=_SAID),
    shape(
        "rsync",
        r"(?P<message>rsync: connection unexpectedly closed .*)$",
        1,
        cascade="the other side, or what carries the connection, says why",
    ),
    shape(
        "rsync",
        r"(?P<message>rsync: (?:\[\w+\] )?(?:link_stat|mkdir|failed to|write failed|connection "
        r"unexpectedly|read error|open|change_dir|getaddrinfo|mkstemp|rename).*)$",
        1,
    ),
    # --- TLS and names
    shape(
        "OpenSSL",
        r"(?:[0-9A-F]{8,16}|\d{8,20}):(?P<type>error:[0-9A-F]{8})"
        r":(?P<message>[^:]{1,80}:[^:]{0,80}:[^:]{1,200}):",
        1,
    ),
    shape("OpenSSL", r"(?P<message>error \d{1,3} at \d{1,2} depth lookup: ?.*)$", 1),
    shape("OpenSSL", r"(?P<message>verify error:num=\d{1,3}:.*)$", 1),
    shape("OpenSSL", r"error (?P<message>\S{1,400}: verification failed)$", 1, cascade=_SAID),
    shape(
        "DNS",
        r";; (?P<message>communications error to \S+: .*|connection timed out; no servers could be "
        r"reached)$",
        1,
    ),
    shape("DNS", r";; (?P<message>no servers could be reached)$", 1, cascade=_SAID),
    shape("DNS", r"\*\* (?P<message>server can't find \S+: \w+)$", 1),
    shape(
        "DNS",
        r"(?:ping|telnet|nc|host): (?:getaddrinfo.*|(?P<message>.{1,300}: (?:Name or service not known|"
        r"Temporary failure in name resolution|Unknown host|nodename nor servname.*)))$",
        1,
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct message of these programs."""
    yield from read_shapes(NAME, "network", lines, _SHAPES)
