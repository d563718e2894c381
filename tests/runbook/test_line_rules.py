"""The rules for single lines: also of signatures that are told from others only by their functions."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb.failures.model import Failure, Frame
from kb.knowledge.model import Occurrence, SignatureKnowledge
from kb.runbook.lines.line_rules import QUOTES, LineRule, line_rules
from kb.runbook.lines.parts import as_regex, in_order, mark, side_by_side
from kb.signature.model import Segment, Signature
from kb.signature.sign import sign, sign_declared


def failure(type_: str, message: str, *functions: str, text: str = "", language: str = "python") -> Failure:
    frames = tuple(Frame("/app/x.py", function, 3) for function in functions)
    text = text or (f"{type_}: {message}" if message else type_)
    return Failure("exception", type_, message, 9, 1, 9, text, language=language, frames=frames)


def of_signature(signature: Signature, *occurrences: tuple[str, Occurrence]) -> SignatureKnowledge:
    return SignatureKnowledge(signature, "root", False, occurrences, (), (), (), ("s",), "", "", {})


def known(one: Failure) -> SignatureKnowledge:
    return of_signature(sign(one), ("s", Occurrence(sign(one), one, 1, "root", True, one.text, 0, "x.log", 1)))


def rule_of(one: Failure) -> LineRule:
    rule = next(iter(line_rules(known(one))), None)
    assert rule is not None
    return rule


def test_a_short_line_must_be_the_whole_message_and_stand_near_its_function() -> None:
    rule = rule_of(failure("KeyError", "0", "main", "shard_of"))
    assert re.search(rule.pattern, "12:00 ERROR KeyError: 17")
    assert not re.search(rule.pattern, "KeyError: 'weight'")
    assert not re.search(rule.pattern, "KeyError: 0 of 12 keys")
    assert not re.search(rule.pattern, "MyKeyError: 0")
    (context,) = rule.contexts
    assert re.search(context, '  File "/x.py", line 3, in shard_of')
    assert not re.search(context, '  File "/x.py", line 3, in shard_of_all')
    assert not rule.below


def test_the_frames_of_other_languages_may_follow() -> None:
    text = "called `Option::unwrap()` on a `None` value"
    rule = rule_of(failure("panic", text, "tally::level", text=text, language="rust")._replace(kind="panic"))
    assert re.search(rule.pattern, text)
    assert re.search(rule.contexts[0], "   3: tally::level")
    assert rule.below


def test_a_type_alone_is_known_by_two_functions() -> None:
    rule = rule_of(failure("OSError", "", "main", "read", "load_all"))
    assert all(re.search(rule.pattern, line) for line in ("OSError", "OSError:", "x: OSError: "))
    assert not re.search(rule.pattern, "OSError: gone")
    assert len(rule.contexts) == 2


def test_a_record_that_names_its_type_last_is_known_by_both() -> None:
    message = "The engine of this server has stopped"
    text = f'{{"error":{{"message":"{message}","type":"InternalServerError","code":500}}}}'
    rule = rule_of(failure("InternalServerError", message, text=text))
    assert re.search(rule.pattern, text)
    assert not re.search(rule.pattern, text.replace("InternalServer", "Other"))


def test_a_message_that_is_printed_in_quotes_is_known_with_what_stands_before_them() -> None:
    text = "CUDA failure /srv/train/config.cu:6 'the argument is invalid here'"
    rule = rule_of(failure("CUDA error", "the argument is invalid here", text=text, language="c"))
    assert re.search(rule.pattern, text.replace(":6", ":77"))
    begin = re.search(rule.pattern, text)
    assert begin
    assert begin.start() == 0 or text[begin.start() - 1] not in QUOTES


def test_a_message_in_another_script_is_known_by_its_letters() -> None:
    one = failure("ValueError", "設定ファイルが見つかりません: 17", "main")
    assert not sign(one).pattern
    rule = rule_of(one)
    assert re.search(rule.pattern, "12:00 ValueError: 設定ファイルが見つかりません: 4")
    assert not re.search(rule.pattern, "12:00 ValueError: 証明書の期限が切れていました: 4")
    assert not rule.near
    assert not line_rules(known(failure("ValueError", "設定: 17")))


def test_what_no_line_can_tell_has_no_rule() -> None:
    assert line_rules(known(failure("KeyError", "0"))) == ()
    assert line_rules(known(failure("", "", "_init_executor"))) == ()
    assert line_rules(of_signature(sign_declared("export-hangs", "no output"))) == ()


@pytest.mark.parametrize("functions", [(), ("main", "load_all")])
@settings(deadline=None)
@given(message=st.text("aä0 :'/<>.x\t", max_size=30), type_=st.sampled_from(["KeyError", "E", "a.b.OSError"]))
def test_a_rule_matches_its_own_line_by_its_literals_and_keys(
    functions: tuple[str, ...], message: str, type_: str
) -> None:
    one = failure(type_, message.strip(), *functions)
    rule = next(iter(line_rules(known(one))), None)
    if rule is None:
        return
    line = one.text
    if type_ == "a.b.OSError":
        line = f"x {line}"
    assert re.search(rule.pattern, line)
    assert in_order(rule.parts, line)
    words = re.findall(r"[A-Za-z0-9_]+", line)
    assert set(rule.keys) <= {*words, *map(" ".join, pairwise(words))}


_PARTS = st.lists(
    st.builds(Segment, st.text("a1 é:", min_size=1, max_size=3))
    | st.sampled_from(["number", "word", "words", "quote", "over", "last", "rest", "other"]).map(mark),
    min_size=1,
    max_size=4,
)


@settings(deadline=None)
@given(parts=_PARTS.map(tuple), line=st.text("aa11 é:'", max_size=12))
def test_what_is_found_side_by_side_is_found_by_the_expression(parts: tuple[Segment, ...], line: str) -> None:
    assert not side_by_side(parts, line) or re.search(as_regex(parts), line)


def test_a_line_is_found_side_by_side_as_it_was_printed() -> None:
    parts = (Segment("took "), mark("number"), Segment(" s in "), mark("word"))
    assert side_by_side(parts, "it took 12.5 s in main")
    assert not side_by_side(parts, "it took a s in main")
    assert not side_by_side(parts, "it took 12.5 s")
