"""JAX, XLA and TensorFlow: fatal records of absl logging, the status they carry, lost tasks of a cluster."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.failures.found import Find, spotted
from kb.failures.streams import Stream

NAME = "xla"
ABOUT = "JAX, XLA, TensorFlow: fatal records with their status, tasks that died"
EXAMPLE = """\
F1129 09:15:35.924617    1389 client.h:86] Terminating process because the JAX distributed service \
detected fatal errors. absl::Status: DEADLINE_EXCEEDED: Deadline Exceeded

RPC: /xla.coordination.CoordinationService/RegisterTask
"""

_CODES = (
    "CANCELLED|UNKNOWN|INVALID_ARGUMENT|DEADLINE_EXCEEDED|NOT_FOUND|ALREADY_EXISTS|PERMISSION_DENIED|UNAUTHENTICATED|"
    "RESOURCE_EXHAUSTED|FAILED_PRECONDITION|ABORTED|OUT_OF_RANGE|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|DATA_LOSS"
)
_STATUS = re.compile(rf"(?:absl::Status: |Status: |status: |error: |: |^)(?P<code>{_CODES}): (?P<message>\S.*)$")
_ENDS = re.compile(r"Terminating process because the (?:JAX|TF|coordination)|Terminating process because")
_LOST = re.compile(
    r"tasks? (?:are|is) unhealthy|tasks? (?:has|have) crashed|stopped sending heartbeats|another task died"
)
_RPC = re.compile(r"RPC: (?P<name>/\S+)")
_BODY = re.compile(
    r"$|\d+$|RPC: |=== Source Location Trace|external/|\*\*\* Check failure|\s+@ |The tasks? have crashed|"
    r"Additional GRPC|:?\{\"created"
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per fatal record with a status; the record's further lines belong to it."""
    for index, line in enumerate(lines):
        if line.level not in ("fatal", "error") or not line.record:
            continue
        text = line.text[:4000]
        match = _STATUS.search(text)
        ends = _ENDS.search(text) is not None
        fatal = (line.level == "fatal" or ends) and (match is not None or ends)
        told = (
            line.level == "error"
            and match is not None
            and ("Use error polling" in text or "coordination" in text.lower())
        )
        polled = line.level == "error" and text.startswith("Polled an error from coordination service")
        if not (fatal or told or polled):
            continue
        end = index + 1
        while end < len(lines) and end - index < 120 and not lines[end].record and _BODY.match(lines[end].text):
            end += 1
        code = match["code"] if match else "ABORTED"
        message = match["message"].strip() if match else text.strip()
        if match and (rpc := next((m for ln in lines[index:end] if (m := _RPC.match(ln.text))), None)):
            message = f"{message}\nRPC: {rpc['name']}"
        find = spotted(NAME, "cluster", code, message, line, lines[index:end], language=None, weight=0 if fatal else 1)
        if polled or _LOST.search(message) or code in ("UNAVAILABLE", "CANCELLED"):
            find.cascade = "another task of the cluster was gone; its own log says why"
        yield find
