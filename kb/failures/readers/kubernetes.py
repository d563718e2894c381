"""Kubernetes: events (`kubectl describe`, `kubectl get events`), states of containers, answers of kubectl."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, first_said, spotted
from kb.failures.readers.line_shapes import shape, spot
from kb.failures.streams import Line, Stream

NAME = "kubernetes"
ABOUT = "Kubernetes: events, container states, pod tables, kubectl"
EXAMPLE = """\
    State:          Waiting
      Reason:       CrashLoopBackOff
    Last State:     Terminated
      Reason:       OOMKilled
      Exit Code:    137
Events:
  Type     Reason   Age                From     Message
  ----     ------   ----               ----     -------
  Warning  BackOff  87s (x23 over 6m)  kubelet  Back-off restarting failed container cache in pod cache-0_shop(1f)
"""

_CELLS = re.compile(r" {2,}|\t+")
#: Which container an event is about: since 1.34 `describe` puts it before the message.
_FIELD_PATH = re.compile(r"spec\.(?:c|initC|ephemeralC)ontainers\{[^}]{1,63}\}: ")
#: The kubelet kills what fails its probe: then the probe began it, and the exit code only says that it was killed.
_KILLED_FOR = ("failed liveness probe, will be restarted", "failed startup probe, will be restarted")
#: Events that only repeat that a container does not come up, and such as say nothing about a failure.
_REPEATS = frozenset({"BackOff", "BackoffLimitExceeded", "FailedPostStartHook"})
_HARMLESS = frozenset(
    {"DNSConfigForming", "InvalidDiskCapacity", "FailedToUpdateEndpoint", "MissingClusterDNS", "Unhealthy"}
)
_PULL = re.compile(r"[Ff]ailed to pull image \\?\"(?P<image>[^\"\\]{1,500})\\?\":? ?(?P<cause>.*)$")
_OUTER = re.compile(
    r"(?:rpc error: code = \w{1,30} desc = |Error response from daemon: |failed commit on ref .{1,200}?: |"
    r"[Ff]ailed to [\w ]{1,60}?(?: \\?\"[^\"\\]{1,500}\\?\"| [^\s:]\S{0,400}?)?: |"
    r"unexpected status from \w+ request to \S{1,500}: )"
)
_ERROR = re.compile(r"Error: (?P<what>.*)$")
_REPORTED = frozenset({"ErrImagePull", "ImagePullBackOff", "CrashLoopBackOff"})
_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = (
    (
        "CreateContainerConfigError",
        re.compile(
            r"(?:secret|configmap) \\?\"|couldn't find key|container has "
            r"runAsNonRoot|non-numeric user"
        ),
    ),
    (
        "StartError",
        re.compile(
            r"failed to (?:create|start) (?:containerd )?(?:task|container)|OCI runtime|"
            r"executable file not found"
        ),
    ),
    ("InvalidImageName", re.compile(r"InvalidImageName|couldn't parse image")),
    ("ErrImageNeverPull", re.compile(r"ErrImageNeverPull|pull policy of Never")),
)

_FIELD = re.compile(
    r"\s{0,12}(?P<name>State|Last State|Reason|Message|Exit Code|Status|Started|Finished):\s+(?P<value>\S.*)$"
)
_WAITING = frozenset(
    {"CreateContainerConfigError", "CreateContainerError", "RunContainerError", "InvalidImageName", "ErrImageNeverPull"}
)

_ROW = re.compile(
    r"(?:\S{1,100} {1,60})?(?P<pod>[a-z0-9][\w.-]{1,250}) {1,200}\d{1,3}/\d{1,3} {1,20}(?P<status>(?:Init:)"
    r"?[A-Z]\w{2,40}(?::\w+)?) {1,40}\d{1,6} "
)
_OCI = re.compile(
    r"(?:.{0,300}?: )?(?:unable to start container process|starting container process caused)(?: \"|: )"
    r"(?P<cause>.*?)\"?(?:: unknown)?$"
)
_WAITED = "waited for pods; their events and logs say why they did not come up"
_KUBECTL = (
    shape("NotFound", r"Error from server \((?P<type>\w+)\): (?P<message>.*)$", 1),
    shape("kubectl", r"(?P<message>Error in configuration: .*|error: context \".{1,300}\" does not exist)$", 0),
    shape(
        "connection refused",
        r"(?P<message>The connection to the server \S+ was refused - did you specify the "
        r"right host or port\?)$",
        0,
    ),
    shape("kubectl", r"(?P<message>Unable to connect to the server: .*)$", 0),
    shape("Invalid", r"The (?P<message>[A-Z]\w{1,60} \"[^\"]{1,253}\" is invalid: ?.*)$", 1, more=r"\* "),
    shape(
        "kubectl",
        r"error: (?P<message>(?:timed out waiting for the condition|\w{1,40} \"[^\"]{1,253}\" exceeded its progress "
        r"deadline).*)$",
        1,
        cascade=f"kubectl {_WAITED}",
    ),
    shape(
        "ProgressDeadlineExceeded",
        r"\s{1,4}Progressing\s{1,20}False\s{1,20}(?P<message>ProgressDeadlineExceeded)$",
        1,
        cascade=f"the deployment {_WAITED}",
    ),
    shape(
        "kubectl",
        r"(?:error: )?(?P<message>resource mapping not found for name: .*)$",
        1,
    ),
    shape(
        "kubectl",
        r"error: (?P<message>(?:error (?:parsing|validating|loading)|unable to |the server doesn't "
        r"have a resource|no (?:context|objects)|timed out waiting|You must be logged in|exec plugin).*)$",
        1,
    ),
    shape(
        "kubectl",
        r"\"Unhandled Error\" err=\"couldn't get current server API group list.*$",
        1,
        cascade="kubectl tries several times, and says at the end why it gave up",
    ),
    shape(
        "kubelet",
        r"\"(?P<message>(?:Error syncing pod, skipping|Failed to create sandbox|RunPodSandbox from "
        r"runtime service failed|PullImage from image service failed|Failed to run kubelet|command failed)\" "
        r"err=.*)$",
        1,
    ),
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per distinct event, container state, row of a table of pods, or answer of kubectl."""
    seen: dict[tuple[str, str], Find] = {}
    probed = any(words in line.text for line in lines for words in _KILLED_FOR)
    for index, line in enumerate(lines):
        text = line.text[:4000].rstrip()
        find = (
            _event(line, text)
            or _state(lines, index, text)
            or _row(line, text)
            or spot(NAME, "container", lines, index, _KUBECTL)
        )
        if find is None:
            continue
        if probed:
            _blame_the_probe(find)
        key = (find.type, re.sub(r"\d+", "", find.message))
        if first_said(seen, key, find):
            yield find


def _blame_the_probe(find: Find) -> None:
    if find.type == "Unhealthy" and not find.harmless:
        find.weight = 0
    elif find.type == "exit code 137":
        find.cascade = "the kubelet killed the container, which did not answer its probe"


def _event(line: Line, text: str) -> Find | None:
    cells = _CELLS.split(text.strip(), maxsplit=7)
    at = next((i for i, cell in enumerate(cells[:3]) if cell in ("Warning", "Normal")), -1)
    if at < 0 or len(cells) < at + 4 or not cells[at + 1][:1].isupper():
        return None
    reason, rest = cells[at + 1], cells[at + 2 :]
    # `describe` has age, source, message; `get events` has object, then (when wide) more columns round the message.
    message = "  ".join(rest[2:]) if at == 0 else max(rest[1:], key=len)
    if path := _FIELD_PATH.match(message):
        message = message[path.end() :]
    if cells[at] == "Normal":
        # Normal events hold words such as BackOff and Killing; they are told so that nobody else takes them for errors.
        return _find(line, reason, message, harmless="an event of type Normal")
    return _warning(line, reason, message.replace('\\"', '"'))


def _warning(line: Line, reason: str, message: str) -> Find:
    if pull := _PULL.match(message):
        cause = pull["cause"] or message
        while outer := _OUTER.match(cause):
            cause = cause[outer.end() :]
        find = _find(line, "ErrImagePull", cause)
        find.notes = (f"image: {pull['image']}",)
        return find
    error = _ERROR.match(message)
    if error and error["what"].strip() in _REPORTED:
        return _find(line, error["what"].strip(), message, 1)
    if error and reason == "Failed":
        what = error["what"]
        oci = _OCI.match(what)
        name = next((name for name, words in _TYPES if words.search(what)), reason)
        return _find(line, name, oci["cause"] if oci else what)
    if reason in _REPEATS:
        return _find(line, reason, message, 1)
    if reason in _HARMLESS:
        # A probe that fails says that the container is not (yet) well; what it is ill of stands elsewhere.
        find = _find(line, reason, message, 2)
        if reason != "Unhealthy" or message.startswith("Readiness probe"):
            find.harmless = "a warning that healthy clusters give too"
        return find
    return _find(line, reason, message.partition(" preemption: ")[0])


def _state(lines: Stream, index: int, text: str) -> Find | None:
    """What a container's state says: the line `Reason:`, judged with the lines round it."""
    field = _FIELD.match(text) if text.lstrip().startswith("Reason:") else None
    if field is None or index == 0:
        return None
    reason = field["value"]
    before = _FIELD.match(lines[index - 1].text)
    after = {m["name"]: (m["value"], ln) for ln in lines[index + 1 : index + 5] if (m := _FIELD.match(ln.text))}
    message, code = after.get("Message", ("", None))[0], after.get("Exit Code", ("", None))[0]
    state = before["value"] if before else ""
    line = lines[index]
    if reason == "OOMKilled":
        return _find(line, reason, text.strip())
    if reason == "Evicted":
        return _find(line, reason, message or text.strip())
    if state == "Waiting":
        if reason in _REPORTED:
            return _find(line, reason, text.strip(), 1)
        if reason not in _WAITING:
            return None
        if oci := _OCI.match(message):
            return _find(line, "StartError", oci["cause"])
        return _find(line, reason, message or text.strip(), 1)
    if state != "Terminated" or reason == "Completed":
        return None
    if message and (owner := after["Message"][1]) is not None:
        oci = _OCI.match(message)
        find = _find(owner, reason, oci["cause"] if oci else message)
        find.lines.add(line.number)
        find.first = line.number
        return find
    find = _find(line, f"exit code {code}" if code else reason, f"Terminated: {reason}", 1)
    find.cascade = "" if code in ("137", "139", "134") else "the container ended by itself; its own log says why"
    return find


def _row(line: Line, text: str) -> Find | None:
    row = _ROW.match(text)
    if row is None:
        return None
    status = row["status"].removeprefix("Init:")
    if status == "OOMKilled" or status == "Evicted":
        return _find(line, status, text.strip(), 1)
    if (
        status in _REPORTED
        or status in _WAITING
        or status in ("Error", "StartError", "ContainerCannotRun", "DeadlineExceeded")
    ):
        find = _find(line, status, status, 1)
        find.cascade = "the table only names the state; the pod's events or its log say why"
        return find
    return None


def _find(line: Line, name: str, message: str, weight: int = 0, *, harmless: str = "") -> Find:
    find = spotted(NAME, "container", name, message.strip(), line, [line], weight=weight)
    find.harmless = harmless
    return find
