"""Ansible: failed and unreachable hosts; failures that a play ignores or rescues are none."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Stream

NAME = "ansible"
ABOUT = "Ansible: failed tasks, unreachable hosts, mistakes in playbooks"
EXAMPLE = """\
TASK [migrate the database] ****************************************************
fatal: [db1]: FAILED! => {"changed": true, "cmd": "migrate", "msg": "non-zero return code", "rc": 3, \
"stderr": "column total missing"}

PLAY RECAP *********************************************************************
db1                        : ok=0    changed=0    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0
"""

_FAILED = re.compile(
    r"(?:fatal|failed): \[(?P<host>[^\]]{1,200})\](?: \(item=.{1,2000}?\))?(?:: (?P<how>FAILED|UNREACHABLE)!)? => "
    r"?(?P<json>\{.*)?$"
)
_TASK = re.compile(r"(?:TASK|RUNNING HANDLER) \[(?P<name>.{0,300}?)\] \*+$")
_ERROR = re.compile(r"(?:\[ERROR\]: |ERROR! )(?P<message>.*)$")
_RECAP = re.compile(
    r"(?P<host>\S{1,200}) +: ok=\d+ .{0,60}?unreachable=(?P<unreachable>\d{1,9}) +failed=(?P<failed>\d{1,9})"
    r"(?:.{0,60}?rescued=(?P<rescued>\d{1,9}))?"
)
_UNDEFINED = re.compile(
    r"'[^'\n]{1,200}' is undefined|'[^'\n]{1,200}' has no attribute '[^'\n]{1,200}'|object of type '[^'\n]{1,80}' "
    r"has no attribute '[^'\n]{1,200}'"
)
_YAML_FIELD = re.compile(r" {2,8}(?P<name>msg|stderr|module_stderr|stdout): ?(?P<value>.*)$")
_SAYS_NOTHING = re.compile(
    r"non-zero return code$|MODULE FAILURE|Error executing command\.?$|The module failed to execute|All items completed"
)
_LEAD = re.compile(
    r"(?:Task failed: |Module failed: |Action failed: |Unexpected \w+ error: |Error executing module: )+"
)
_LONGEST = 200_000


def read(lines: Stream) -> Iterator[Find]:
    """One find per failed host and task; which of them the play lived with, the lines after and the recap say."""
    finds: list[Find] = []
    hosts: dict[str, list[Find]] = {}
    task, begin = "", None
    for index, line in enumerate(lines):
        text = line.text[:_LONGEST].strip()
        if named := _TASK.match(text[:400]):
            if begin is not None:
                finds.append(_alone(lines, begin, index))
            task, begin = named["name"], None
        elif failed := _FAILED.match(text):
            find = _task(lines, begin if begin is not None else index, index, failed, task)
            begin = None
            finds.append(find)
            if not find.harmless:
                hosts.setdefault(failed["host"], []).append(find)
        elif _ERROR.match(text):
            if begin is not None:
                finds.append(_alone(lines, begin, index))
            begin = index
        elif recap := _RECAP.match(text[:400]):
            _rescue(hosts.pop(recap["host"], []), int(recap["failed"]) + int(recap["unreachable"]))
    if begin is not None:
        finds.append(_alone(lines, begin, len(lines)))
    yield from finds


def _task(lines: Stream, begin: int, index: int, failed: re.Match[str], task: str) -> Find:
    data, end = _result(lines, index, failed["json"])
    message = _message(data)
    how = failed["how"] or "FAILED"
    undefined = _UNDEFINED.search(message)
    name = "AnsibleUndefinedVariable" if undefined else how
    find = spotted(
        NAME,
        "task",
        name,
        undefined[0] if undefined else message or how,
        lines[index],
        lines[begin:end],
        notes=(f"task: {task}",) if task else (),
    )
    find.process = failed["host"].split(" -> ")[0]
    if end < len(lines) and lines[end].text.strip().startswith("...ignoring"):
        find.harmless = "the play ignores this failure"
        find.lines.add(lines[end].number)
    return find


def _result(lines: Stream, index: int, text: str | None) -> tuple[dict[str, str], int]:
    """The fields that tell of a result, and the index after it."""
    if text and text.rstrip().endswith("}"):
        try:
            data = json.loads(text)
        except (ValueError, RecursionError):
            data = {"msg": text}
        return ({k: v for k, v in data.items() if isinstance(v, str)} if isinstance(data, dict) else {}), index + 1
    found: dict[str, str] = {"msg": text.strip("{ ")} if text and len(text) > 2 else {}
    end, name = index + 1, ""
    while (
        end < len(lines)
        and end - index < 400
        and (lines[end].text.startswith("  ") or lines[end].text.strip() in ("}", "{"))
    ):
        row = lines[end].text.rstrip()
        field = _YAML_FIELD.match(row.replace('"', "", 2)) if row.lstrip().startswith('"') else _YAML_FIELD.match(row)
        if field:
            name = field["name"]
            found[name] = field["value"].strip('|->", ').replace("\\n", "\n")
        elif name and row.startswith("      "):
            found[name] = f"{found[name]}\n{row.strip()}".strip()
        else:
            name = ""
        end += 1
    return found, end


def _message(data: dict[str, str]) -> str:
    """What failed: the module's message, or, where that says nothing, the last words of the command."""
    said = _LEAD.sub("", data.get("msg", "")).strip()
    if said and not _SAYS_NOTHING.search(said.split("\n")[0]):
        return said
    for name in ("stderr", "module_stderr", "stdout", "module_stdout"):
        rows = [row.strip() for row in data.get(name, "").splitlines() if row.strip()]
        if rows and "<omitted>" not in rows[-1]:
            return f"{rows[-1]}\n{said}"
    return said


def _alone(lines: Stream, begin: int, end: int) -> Find:
    """A mistake that ends the play before any task: its message, and the place that follows it."""
    match = _ERROR.match(lines[begin].text.strip())
    last = begin + 1
    while last < min(end, begin + 40) and not lines[last].text.startswith(
        ("PLAY", "TASK", "ok:", "changed:", "skipping:")
    ):
        last += 1
    message = _LEAD.sub("", match["message"] if match else lines[begin].text)
    undefined = _UNDEFINED.search(message)
    name = "AnsibleUndefinedVariable" if undefined else "playbook"
    return spotted(NAME, "task", name, undefined[0] if undefined else message, lines[begin], lines[begin:last])


def _rescue(finds: list[Find], failed: int) -> None:
    """The recap counts what stayed failed: of a host's failures, the ones before were rescued by the play."""
    for find in finds[: max(len(finds) - failed, 0)]:
        if "(item=" not in find.at.text or failed == 0:
            find.harmless = "the play rescued this failure"
