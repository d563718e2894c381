"""What triage says of a log."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.home import Home
from kb.index.build import build_index
from kb.index.store import Store, holds, open_store
from kb.triage.as_json import report_json
from kb.triage.fixes import best_fix, known_fixes
from kb.triage.model import Report
from kb.triage.report import triage
from kb.triage.schema import schema_text, triage_schema

sys.path.append(str(Path(__file__).parent.parent / "index"))
from bases import base, record

CONFIG = "AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'"
NOT_PADDED = "IndexError: list index out of range"
EMPTY = "KeyError: 0"


def traceback(error: str, function: str = "load", file: str = "serve.py") -> str:
    """A Python traceback, between other lines."""
    return (
        "INFO starting\nTraceback (most recent call last):\n"
        f'  File "/home/other/{file}", line 99, in {function}\n    read()\n{error}\nINFO bye\n'
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Sessions with a proven fix, a dead end, a chain, and a failure that only its frames tell apart."""
    made = base(tmp_path_factory.mktemp("base"))
    record(made, "s1", CONFIG, day=1, fix="read-it-defensively", applies="vllm>=0.15,<0.16")
    record(made, "s2", CONFIG, day=2, fix="read-it-defensively", applies="vllm>=0.15,<0.16")
    record(made, "s3", EMPTY, day=3, fix="reload", function="reload_weights", file="weights.py")
    chain = record(made, "s4", CONFIG, day=4, fix="patch-the-proposer")
    again = traceback(NOT_PADDED).split("\n", 1)[1].rsplit("\nINFO", 1)[0]
    chain.write_text(chain.read_text().replace("ready", again).replace("{exit=0}", "{exit=1}"))
    dying = traceback(CONFIG).split("\n", 1)[1].rsplit("\nINFO", 1)[0]
    dead = record(made, "s5", CONFIG, day=5, fix="restart-it")
    dead.write_text(dead.read_text().replace("ready", dying).replace("{exit=0}", "{exit=1}"))
    for number in range(30):
        record(made, f"n{number}", f"ValueError: option --{chr(97 + number % 26)}{number} takes no list", day=6)
    build_index(made)
    return made


@pytest.fixture(scope="module")
def store(home: Home) -> Store:
    """The index of these sessions."""
    return open_store(home)


def of(text: str, store: Store | None) -> Report:
    """The report on a log."""
    report = triage(text.encode(), "server.log", store)
    jsonschema.validate(report_json(report), triage_schema())
    return report


def test_the_same_failure_elsewhere_is_known_exactly(store: Store) -> None:
    report = of(traceback(CONFIG), store)
    assert report.verdict == "known"
    assert report.primary is not None
    (match,) = report.failures[report.primary].matches
    assert (match.level, match.score) == ("exact", 1.0)
    assert match.why[0] == "the signature is the same"


def test_fixes_are_offered_best_first_with_their_counts(store: Store) -> None:
    fixes = of(traceback(CONFIG), store).failures[0].matches[0].fixes
    assert [(fix.slug, fix.fixed, fix.progressed, fix.failed) for fix in fixes] == [
        ("read-it-defensively", 2, 0, 0),
        ("patch-the-proposer", 0, 1, 0),
        ("restart-it", 0, 0, 1),
    ]
    assert fixes[0].lower_bound > fixes[1].lower_bound > fixes[2].lower_bound == 0
    assert fixes[0].sessions == ("s2", "s1")


def test_a_fix_for_another_version_comes_last(store: Store) -> None:
    log = "INFO vLLM API server version 0.16.2\n" + traceback(CONFIG)
    fixes = of(log, store).failures[0].matches[0].fixes
    assert [(fix.slug, fix.applies) for fix in fixes][-1] == ("read-it-defensively", False)
    log = log.replace("0.16.2", "0.15.3")
    assert of(log, store).failures[0].matches[0].fixes[0].applies


def test_what_comes_next_is_told(store: Store) -> None:
    (following,) = of(traceback(CONFIG), store).failures[0].matches[0].next
    assert following.after == "patch-the-proposer"
    assert "list index out of range" in following.title


def test_a_line_that_a_pattern_matches_is_known_as_template(store: Store) -> None:
    line = f"ERROR request 7 was refused: {CONFIG}"
    report = of(line + "\n", store)
    assert report.verdict == "known"
    assert report.primary is not None
    match = report.failures[report.primary].matches[0]
    assert match.level == "template"
    assert "its own pattern matches this line" in match.why


def test_a_message_that_says_nothing_is_known_by_its_frames_only(store: Store) -> None:
    assert of(traceback(EMPTY, "reload_weights", "weights.py"), store).verdict == "known"
    assert of(traceback(EMPTY, "plan_the_party", "party.py"), store).verdict == "new"


def test_what_only_resembles_is_a_suggestion(store: Store) -> None:
    report = of(traceback("AttributeError: 'KimiK25Config' object has no attribute 'video_token_index'"), store)
    assert report.verdict == "new"
    levels = {match.level for match in report.failures[0].matches}
    assert levels == {"similar"}
    assert "image_token_index" in report.failures[0].matches[0].title
    assert all(0 < match.score < 1 for match in report.failures[0].matches)


def test_what_resembles_nothing_says_why_nothing_matched(store: Store) -> None:
    report = of(traceback("LookupError: the moon is behind a cloud"), store)
    assert report.verdict == "new"
    assert report.failures[0].matches == ()
    assert report.hints[-1].startswith("Not seen before: none of the ")


def test_the_reasons_name_what_is_shared_and_how_far_the_nearest_is(store: Store) -> None:
    report = of(traceback("ValueError: option --zz99 may be a list, after all", "plan", "party.py"), store)
    assert report.verdict == "new"
    assert report.failures[0].matches == ()
    assert "the nearest shares option, valueerror, list" in report.hints[-1]
    assert "suggestions begin at 0.50" in report.hints[-1]
    report = of(traceback(NOT_PADDED, "plan_the_party", "party.py"), store)
    assert report.verdict == "new", "the same message from another place"
    (match,) = report.failures[0].matches
    assert match.level == "similar"
    assert match.why[0] == "has the same message, which says too little by itself; comes from other places"


def test_who_does_not_ask_is_not_told_why_nothing_matched(store: Store) -> None:
    log = traceback("LookupError: the moon is behind a cloud").encode()
    told = triage(log, "server.log", store)
    short = triage(log, "server.log", store, explain=False)
    assert short.hints == told.hints[:-1]
    assert short.failures == told.failures


def test_the_best_fix_is_the_first_of_all(store: Store) -> None:
    (match,) = of(traceback(CONFIG), store).failures[0].matches
    fixes = store.fixes(match.id)
    assert len(fixes) > 2
    assert best_fix(fixes) == known_fixes(fixes, {})[0]


def test_of_an_empty_knowledge_base_is_said_that_it_is_empty(tmp_path: Path) -> None:
    home = base(tmp_path)
    build_index(home)
    assert of(traceback(CONFIG), open_store(home)).hints[-1] == "The knowledge base holds no signature yet."


def test_without_a_knowledge_base_everything_is_new() -> None:
    assert of(traceback(CONFIG), None).verdict == "new"


@pytest.mark.parametrize("text", ["", "INFO all is well\n", "\n\n", "\x00\x01"])
def test_a_log_without_a_failure_says_so(store: Store, text: str) -> None:
    report = of(text, store)
    assert (report.verdict, report.primary, report.failures) == ("no-failure", None, ())


def test_a_log_of_symptoms_says_where_to_look(store: Store) -> None:
    report = of(traceback("RuntimeError: Engine core initialization failed. See root cause above."), store)
    assert report.verdict == "symptom-only"
    assert report.primary == 0
    assert report.hints


def test_a_failure_that_sessions_know_as_a_symptom_gives_way_to_another_root(tmp_path: Path) -> None:
    said = "ValueError: the model cannot be inspected by this server"
    cause = traceback("OSError: the weights are truncated").split("\n", 1)[1]
    home = base(tmp_path)
    path = record(home, "s1", "RuntimeError: nothing of it")
    text = path.read_text()
    before, after = text.split("Traceback", 1)[0], text.split("```\n\n### Fix", 1)[1]
    path.write_text(f"{before}{said}\n```\n\n```log {{source=server.log}}\n{cause}{said}\n```\n\n### Fix{after}")
    build_index(home)
    log = traceback(said) + traceback("LookupError: no such shard")
    plain = of(log, None)
    assert plain.failures[plain.primary or 0].failure.type == "ValueError"
    learned = of(log, open_store(home))
    assert learned.primary is not None
    primary = learned.failures[learned.primary].failure
    assert primary.type == "LookupError"
    assert "known to be a wrapper" in primary.because[-1]
    assert learned.verdict == "new", "the pattern of a symptom makes nothing known"
    symptom = learned.failures[plain.primary or 0].failure
    assert symptom.role == "wrapper"
    assert "recorded as a wrapper in 1 session" in symptom.because


def test_the_pattern_of_a_symptom_makes_no_root_known(tmp_path: Path) -> None:
    home = base(tmp_path)
    path = record(home, "s1", "RuntimeError: Engine core initialization failed. See root cause above.")
    path.write_text(path.read_text().replace("```\n\n### Fix", f"{traceback(NOT_PADDED)}```\n\n### Fix"))
    build_index(home)
    store = open_store(home)
    (card,) = store.lookup_pattern("RuntimeError: Engine core initialization failed. See root cause above.")
    assert card.role == "wrapper"
    report = of(
        traceback("OSError: gone, as RuntimeError: Engine core initialization failed. See root cause above."), store
    )
    assert not [match for one in report.failures for match in one.matches if match.level == "template"]


def test_only_lines_of_the_log_are_quoted(store: Store) -> None:
    for triaged in of(traceback(CONFIG), store).failures:
        assert triaged.failure.text in traceback(CONFIG).split("\n")


def test_the_json_has_the_fields_of_the_contract(store: Store) -> None:
    row = report_json(of(traceback(CONFIG), store))
    assert list(row)[:6] == ["schema", "source", "lines", "verdict", "primary", "failures"]
    assert row["schema"] == "kb-triage/1"
    failure = row["failures"][0]
    assert {
        "role",
        "kind",
        "language",
        "type",
        "message",
        "process",
        "line",
        "first_line",
        "last_line",
    } <= failure.keys()
    assert {"text", "because", "caused_by", "signature", "matches"} <= failure.keys()
    assert set(failure["signature"]) == {"id", "title", "template", "pattern"}
    assert {"id", "level", "score", "why", "fixes", "next"} <= failure["matches"][0].keys()
    assert set(failure["matches"][0]["fixes"][0]) == {
        *("slug", "title", "kind", "fixed", "progressed", "failed", "unverified", "lower_bound", "applies", "sessions"),
        *("ended_by", "ended_after", "components", "strength", "together", "last", "order"),
        *("excluded", "retest", "came_back"),
    }
    json.dumps(row)


def test_the_schema_knows_every_field_that_is_written(store: Store) -> None:
    schema = triage_schema()

    def check(value: object, described: dict[str, object]) -> None:
        described = schema["$defs"][str(described["$ref"]).rsplit("/", 1)[-1]] if "$ref" in described else described
        if isinstance(value, dict):
            if "additionalProperties" in described:
                return  # a mapping: any names
            properties = described["properties"]
            assert isinstance(properties, dict)
            assert value.keys() == properties.keys()
            for name, held in value.items():
                check(held, properties[name])
        elif isinstance(value, list):
            for held in value:
                check(held, described["items"])  # type: ignore[arg-type]

    check(report_json(of(traceback(CONFIG), store)), schema)


def test_the_committed_schema_is_current(checkout: Path) -> None:
    assert (checkout / "site" / "schemas" / "triage.schema.json").read_text("utf-8") == schema_text()


def test_the_schema_is_a_valid_one() -> None:
    jsonschema.Draft202012Validator.check_schema(triage_schema())


@given(data=st.binary(max_size=400))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_a_log(store: Store, data: bytes) -> None:
    jsonschema.validate(report_json(triage(data, "x", store)), triage_schema())


@given(lines=st.lists(st.sampled_from(traceback(CONFIG).split("\n") + traceback(NOT_PADDED).split("\n")), max_size=12))
@settings(max_examples=100, deadline=None)
def test_any_order_of_lines_is_a_log(store: Store, lines: list[str]) -> None:
    of("\n".join(lines), store)


def test_a_pattern_with_many_gaps_is_tried_in_linear_time() -> None:
    """With a backtracking engine this line would keep kb busy for hours."""
    pattern = "doom sequence: between " + " and ".join([".+"] * 9) + " failed"
    assert not holds(pattern, "doom sequence: between " + "x and " * 500)


@pytest.mark.parametrize(
    "line",
    [
        "AssertionError: expected output to contain '{}' but got 'hello'",
        'ERROR: parser bug: regexp for "{}" does not compile',
    ],
)
def test_a_line_that_only_quotes_a_known_failure_is_not_known(line: str, store: Store) -> None:
    assert store.lookup_pattern(CONFIG)
    assert of(line.format(CONFIG) + "\n", store).verdict == "new"
