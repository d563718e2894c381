"""A log is taken apart into what each process wrote, whatever stands round its lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures.find import Found, find_failures
from kb.failures.lines import decode
from kb.failures.model import Failure
from kb.failures.streams import split_streams
from kb.signature.sign import sign

GOLDEN = Path(__file__).parent / "golden"
PLAIN = """\
Traceback (most recent call last):
  File "/srv/app/run.py", line 10, in <module>
    main()
  File "/srv/app/run.py", line 7, in main
    load(7)
OSError: [Errno 28] No space left on device: '/var/tmp/shard-7.bin'
"""
OTHER = PLAIN.replace("OSError: [Errno 28]", "MemoryError: x")


def primary(found: Found) -> Failure:
    assert found.primary is not None
    return found.failures[found.primary]


def read(text: str | bytes) -> list[tuple[str, str | None, int]]:
    return [(f.type, f.process, len(f.frames)) for f in find_failures(text).failures]


def docker(line: str) -> str:
    return json.dumps({"log": line + "\n", "stream": "stderr", "time": "2026-11-29T13:37:46.123456789Z"})


# --- wrappers round every line


def ecs(line: str) -> str:
    return json.dumps({"@timestamp": "2026-11-29T13:37:46.123Z", "log": line, "kubernetes": {"pod_name": "a-1"}})


def journal(line: str) -> str:
    stamp = {"__REALTIME_TIMESTAMP": "1764423466123456", "_PID": "33", "SYSLOG_IDENTIFIER": "app", "PRIORITY": "6"}
    return json.dumps({**stamp, "MESSAGE": line})


def journal_bytes(line: str) -> str:
    return json.dumps({"MESSAGE": list(line.encode()), "SYSLOG_IDENTIFIER": "app"})


def cloud(line: str) -> str:
    return json.dumps({"textPayload": line, "severity": "INFO", "timestamp": "2026-11-29T13:37:46.1Z"})


LINE_BY_LINE: dict[str, Callable[[str], str]] = {
    "docker json-file": docker,
    "docker json-file behind compose": lambda line: f"web-1  | {docker(line)}",
    "docker json-file in docker json-file": lambda line: docker(docker(line)),
    "fluent bit": ecs,
    "cloud logging": cloud,
    "journal": journal,
    "journal as bytes": journal_bytes,
    "journal short-precise": lambda line: f"Nov 29 13:37:46.123456 node app[33]: {line}",
    "journal short-full": lambda line: f"Sun 2026-11-29 13:37:46 CET node app[33]: {line}",
    "journal short-unix": lambda line: f"1764423466.123456 node app[33]: {line}",
    "journal short-monotonic": lambda line: f"[  346.123456] node app[33]: {line}",
    "compose": lambda line: f"web-1  | {line}",
    "kubectl --prefix": lambda line: f"[pod/web-5d9c7b6f4-xk2vp/app] {line}",
    "kubectl --timestamps": lambda line: f"2026-11-29T13:37:46.123456789Z {line}",
    "stern": lambda line: f"web-5d9c7b6f4-xk2vp app {line}",
    "grep -H": lambda line: f"logs/server.log:{line}",
    "rg of a rotated log": lambda line: f"/var/log/app/server.log.1:{line}",
    "mpirun": lambda line: f"[1,0]<stderr>:{line}",
    "foreman": lambda line: f"13:37:46 web.1  | {line}",
    "ts": lambda line: f"Nov 29 13:37:46 {line}",
    "CRLF": lambda line: f"{line}\r",
}


@pytest.mark.parametrize("name", LINE_BY_LINE)
def test_what_a_collector_puts_round_each_line_does_not_change_the_failure(name: str) -> None:
    plain = primary(find_failures(PLAIN))
    other = primary(find_failures("\n".join(map(LINE_BY_LINE[name], PLAIN.splitlines()))))
    assert sign(other).id == sign(plain).id
    assert len(other.frames) == 2
    assert (other.line, other.first_line, other.last_line) == (6, 1, 6)


def numbered(text: str) -> str:
    return "\n".join(f"app.log:{n}:{line}" for n, line in enumerate(text.splitlines(), 120))


def context(text: str) -> str:
    lines = text.splitlines()
    return "\n".join([f"app.log-{n}-{line}" for n, line in enumerate(lines[:-1], 7)] + [f"app.log:12:{lines[-1]}"])


@pytest.mark.parametrize(
    "wrap",
    [
        numbered,
        context,
        lambda text: "\n".join(f"{n}:{line}" for n, line in enumerate(text.splitlines(), 98)),
        lambda text: "\n".join(f"{n:6}\t{line}" for n, line in enumerate(text.splitlines(), 1)),
        lambda text: f"==> /var/log/a.log <==\n{text}\n==> /var/log/b.log <==\nall is well\n",
        lambda text: "[Pipeline] { (Branch: linux)\n" + "".join(f"[linux] {line}\n" for line in text.splitlines()),
    ],
    ids=["grep -Hn", "grep -C", "grep -n", "cat -n", "tail of files", "branches of a pipeline"],
)
def test_what_names_files_and_numbers_round_a_log_does_not_change_the_failure(wrap: Callable[[str], str]) -> None:
    found = find_failures(wrap(PLAIN))
    assert [(f.type, len(f.frames)) for f in found.failures] == [("OSError", 2)]
    assert sign(primary(found)).id == sign(primary(find_failures(PLAIN))).id


@pytest.mark.parametrize(
    "text", ["a.c:12:5: error: b\na.c:14:5: error: d\n", "1: one\n2: two\n", "12:30:01 up\n13:30:01 up\n"]
)
def test_what_only_looks_like_the_frame_of_a_tool_stays(text: str) -> None:
    (stream,) = split_streams(text.splitlines())
    assert [line.text for line in stream] == text.splitlines()


def test_a_clock_behind_the_name_of_a_file_is_no_line_number() -> None:
    (stream,) = split_streams(["app.log:13:37:46 up", "app.log:13:37:47 ready"])
    assert [line.text for line in stream] == ["13:37:46 up", "13:37:47 ready"]
    assert stream[0].process == "app.log"


def test_files_in_one_log_are_streams_of_their_own() -> None:
    one, two = PLAIN.splitlines(), OTHER.splitlines()
    followed = [
        "==> a.log <==",
        *one[:3],
        "",
        "==> b.log <==",
        *two[:4],
        "",
        "==> a.log <==",
        *one[3:],
        "==> b.log <==",
    ]
    assert read("\n".join([*followed, *two[4:]])) == [("OSError", "a.log", 2), ("MemoryError", "b.log", 2)]


def test_tasks_that_srun_labels_are_streams_of_their_own() -> None:
    pairs = zip(PLAIN.splitlines(), OTHER.splitlines(), strict=True)
    mixed = "\n".join(f"0: {one}\n1: {two}" for one, two in pairs)
    assert read(mixed) == [("OSError", "task 0", 2), ("MemoryError", "task 1", 2)]


def test_a_line_that_docker_cut_is_put_together() -> None:
    lines = PLAIN.splitlines()
    whole = [docker(line) for line in lines[:-1]]
    pieces = [json.dumps({"log": part, "stream": "stderr"}) for part in (lines[-1][:20], lines[-1][20:30])]
    other = json.dumps({"log": "all is well\n", "stream": "stdout"})
    last = json.dumps({"log": lines[-1][30:] + "\n", "stream": "stderr"})
    failure = primary(find_failures("\n".join([*whole, pieces[0], other, pieces[1], last])))
    assert (failure.type, failure.message) == ("OSError", lines[-1].partition(": ")[2])
    assert failure.line == 6


# --- records that a program wrote as JSON

TRACE = PLAIN.rstrip()
HEADLESS = "\n".join(TRACE.splitlines()[1:-1])
RECORDS: dict[str, dict[str, object]] = {
    "structlog": {"event": "import failed", "level": "error", "timestamp": "2026-11-29T17:54:23Z", "exception": TRACE},
    "python-json-logger": {
        "asctime": "2026-11-29 17:54:23,273",
        "levelname": "ERROR",
        "message": "x",
        "exc_info": TRACE,
    },
    "ECS, dotted": {"log.level": "error", "message": "x", "error.stack_trace": TRACE, "error.type": "OSError"},
    "ECS, nested": {"log": {"level": "error"}, "message": "x", "error": {"stack_trace": TRACE}},
    "ECS, lines": {"log.level": "error", "message": "x", "error": {"stack_trace": TRACE.splitlines()}},
    "ECS of Python": {
        "log.level": "error",
        "message": "x",
        "error": {
            "stack_trace": HEADLESS + "\n",
            "type": "OSError",
            "message": "[Errno 28] No space left on device: '/var/tmp/shard-7.bin'",
        },
    },
    "cloud logging": {"jsonPayload": {"message": TRACE}, "severity": "ERROR", "timestamp": "2026-11-29T17:54:23Z"},
    "GELF": {"short_message": "x", "full_message": TRACE, "level": 3},
    "bunyan": {"name": "a", "level": 50, "msg": "x", "err": {"stack": TRACE}},
    "loguru": {"text": f"2026-11-29 17:54:21.463 | ERROR    | a:b:1 - x\n{TRACE}\n", "record": {"level": {}}},
}


@pytest.mark.parametrize("name", RECORDS)
@pytest.mark.parametrize("outer", [lambda line: line, docker, lambda line: f"web-1  | {line}"])
def test_a_traceback_in_a_field_of_a_record_is_read(name: str, outer: Callable[[str], str]) -> None:
    failure = primary(find_failures(outer(json.dumps(RECORDS[name]))))
    assert sign(failure).id == sign(primary(find_failures(PLAIN))).id
    assert len(failure.frames) == 2
    assert failure.line == 1


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"level": "fatal", "msg": "cannot serve", "error": "listen tcp :80: bind: permission denied"}, "cannot serve: listen tcp :80: bind: permission denied"),
        ({"time": "2026-11-29T17:54:23Z", "level": "ERROR", "msg": "cannot serve", "err": "no port"}, "cannot serve: no port"),
        ({"timestamp": "2026-11-29T17:54:23Z", "level": "ERROR", "fields": {"message": "no port"}}, "no port"),
        ({"@t": "2026-11-29T17:54:23Z", "@l": "Error", "@m": "no port"}, "no port"),
        ({"message": "no port", "level": 400, "level_name": "ERROR", "datetime": "2026-11-29T17:54:23Z"}, "no port"),
    ],
)  # fmt: skip
def test_a_record_without_a_traceback_is_an_error_line(record: dict[str, object], message: str) -> None:
    (failure,) = find_failures(json.dumps(record)).failures
    assert message.endswith(failure.message)


def test_a_chain_given_as_frames_is_a_chain() -> None:
    def raised(name: str, cause: bool) -> dict[str, object]:
        return {"exc_type": name, "exc_value": "v", "is_cause": cause, "frames": [{"filename": "a.py", "lineno": 3, "name": "f"}]}  # fmt: skip

    record = {"event": "x", "level": "error", "exception": [raised("RuntimeError", False), raised("OSError", True)]}
    found = find_failures(json.dumps(record))
    assert [(f.type, f.role) for f in found.failures] == [("OSError", "root"), ("RuntimeError", "wrapper")]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=8), lambda some: st.lists(some, max_size=3) | st.dictionaries(st.sampled_from(["log", "message", "level", "exception", "error", "stack", "MESSAGE", "textPayload", "jsonPayload", "exc_type", "frames", "stream", "text", "record"]), some, max_size=4), max_leaves=12))  # fmt: skip
@settings(max_examples=300, deadline=None)
def test_any_record_gets_an_answer(record: object) -> None:
    find_failures(json.dumps({"message": record, "exception": record, "log": record}) + "\n" + json.dumps(record))


# --- tracebacks through each other


def test_a_traceback_that_another_process_printed_into_is_taken_apart() -> None:
    one, two = PLAIN.splitlines(), OTHER.replace("app/run.py", "app/serve.py").splitlines()
    assert read("\n".join([*one[:4], *two, *one[4:]])) == [("MemoryError", None, 2), ("OSError", None, 2)]


def test_tracebacks_that_cannot_be_told_apart_keep_their_exceptions_without_frames() -> None:
    pairs = zip(PLAIN.splitlines(), OTHER.splitlines(), strict=True)
    found = find_failures("\n".join(line for pair in pairs for line in pair))
    assert [(f.type, len(f.frames), f.role) for f in found.failures] == [
        ("OSError", 0, "root"),
        ("MemoryError", 0, "root"),
    ]
    assert all(any("mixed with another" in reason for reason in f.because) for f in found.failures)


def test_a_cut_traceback_before_a_whole_one_is_no_mixture() -> None:
    found = find_failures("\n".join([*PLAIN.splitlines()[:4], *OTHER.splitlines(), "Done: all"]))
    assert [(f.type, f.complete, len(f.frames)) for f in found.failures] == [("", False, 2), ("MemoryError", True, 2)]


HEAD = PLAIN.splitlines()


@pytest.mark.parametrize(
    "lines",
    [
        HEAD[:1] * 20_000,
        HEAD[:-1] * 3_000,
        [line for line in HEAD for _ in range(2)] * 1_000,
        [docker("error " * 50_000)] * 3,
        ["\r".join(f"error {n}" for n in range(20_000))],
        [json.dumps({"log": "x", "stream": "stderr"})] * 20_000,
        ['a="\\n ' * 20_000],
        ["==> " + "a" * 100_000 + " <==", "==> a <=="] * 100,
    ],
    ids=["heads", "cut", "doubled", "long record", "returns", "pieces", "pairs", "sections"],
)
def test_hostile_lines_are_read_in_one_pass(lines: list[str]) -> None:
    """No assertion on time: what is worse than linear would not come back within the suite's limit."""
    find_failures("\n".join(lines))


# --- bytes


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252"])
def test_encodings_are_read(encoding: str) -> None:
    text = PLAIN.replace("No space left on device", "Auf dem Gerät ist kein Platz mehr verfügbar")
    assert "Gerät ist kein Platz mehr verfügbar" in primary(find_failures(text.encode(encoding))).message


def test_a_cut_character_does_not_make_utf_8_another_encoding() -> None:
    assert decode("Gerät │ verfügbar │ é".encode()[:-1]) == "Gerät │ verfügbar │ \ufffd"


def test_nul_bytes_at_the_begin_of_a_truncated_log_are_passed_over() -> None:
    assert read(b"\0" * 4096 + PLAIN.encode())[-1][0] == "OSError"


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        (" 10%|#  | 1/10\r 20%|## | 2/10\rdone", ["done"]),
        ("ERROR: shard 4 is damaged\r 50%|##  | 5/10", ["ERROR: shard 4 is damaged", " 50%|##  | 5/10"]),
        ("\r 40%|### | 4/10 [00:00<00:00, 29.7it/s]ERROR: shard 4 is damaged\rdone", ["ERROR: shard 4 is damaged", "done"]),
        ("  0%|   | 0/10 [00:00<?, ?it/s]Traceback (most recent call last):", ["Traceback (most recent call last):"]),
    ],
)  # fmt: skip
def test_only_an_error_outlives_the_carriage_return_after_it(line: str, seen: list[str]) -> None:
    from kb.failures.lines import clean

    (stream,) = split_streams([clean(line)])
    assert [one.text for one in stream] == seen
    assert {one.number for one in stream} == {1}


# --- wrappers round real logs

REAL = [
    "node-error-cause",
    "java-ledger-refused",
    "go-nil-method",
    "rust-assert",
    "gpu-exception-group",
    "perl-confess",
]
ROUND: dict[str, Callable[[str], bytes]] = {
    "docker json-file": lambda text: "\n".join(map(docker, text.splitlines())).encode(),
    "compose": lambda text: "\n".join(f"web-1  | {line}" for line in text.splitlines()).encode(),
    "kubectl --prefix": lambda text: "\n".join(
        f"[pod/web-5d9c7b6f4-xk2vp/app] {line}" for line in text.splitlines()
    ).encode(),
    "files": lambda text: f"==> a.log <==\n{text}\n==> b.log <==\nready\n".encode(),
    "grep -H": lambda text: "\n".join(f"server.log:{line}" for line in text.splitlines()).encode(),
    "ECS": lambda text: json.dumps({"log.level": "error", "message": "x", "error": {"stack_trace": text}}).encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "UTF-16": lambda text: text.encode("utf-16"),
    "Latin-1": lambda text: ("Größe\n" + text).encode("latin-1", "replace"),
}


@pytest.mark.parametrize("case", REAL)
@pytest.mark.parametrize("name", ROUND)
def test_what_stands_round_a_real_log_does_not_change_its_signature(case: str, name: str) -> None:
    text = (GOLDEN / case / "input.log").read_text("utf-8")
    assert sign(primary(find_failures(ROUND[name](text)))).id == sign(primary(find_failures(text))).id


def test_json_spread_over_lines_is_read_record_by_record_with_raw_line_numbers() -> None:
    trace = 'Traceback (most recent call last):\n  File "a.py", line 3, in price\n    return row["sum"]\nKeyError: \'sum\'\n'
    entries = [
        {"severity": "INFO", "message": "started", "errors": 0},
        {"severity": "ERROR", "message": "failed\n" + trace, "service": "billing"},
    ]
    found = find_failures(json.dumps(entries, indent=2))
    assert [(f.type, f.line, f.process) for f in found.failures] == [("KeyError", 9, "billing")]
    assert not find_failures(json.dumps({"name": "x", "scripts": {"error": "exit 1"}}, indent=2)).failures


@pytest.mark.parametrize("text", ["[\n  {\n", "{\n" * 500, '[\n  {\n    "message": "a"\n' * 300, "[\n" * 5000])
def test_json_spread_over_lines_that_never_ends_is_no_record(text: str) -> None:
    assert not find_failures(text).failures
