"""Chains as trees: each signature is followed once, so that cycles end."""

from __future__ import annotations

import pytest
from sessions_made import INDEX, KEY, attempt, clean, facts_of, failed, fix

from kb.cli.chain_text import mermaid_lines, tree_lines
from kb.knowledge import chains
from kb.knowledge.chains import ChainNode, chain_tree, nodes_of
from kb.knowledge.gather import gather
from kb.knowledge.model import Knowledge, SessionFacts

VALUE = 'ValueError: <b>"quoted"</b> | [x] {y} `z`'


def leads(before: str, slug: str, after: str, name: str, day: int) -> SessionFacts:
    """A session in which a fix of `before` leads to `after`."""
    return facts_of(attempt(failed(before), fix(slug)), attempt(failed(after)), name=name, day=day)


def id_of(knowledge: Knowledge, type_: str) -> str:
    """The signature of this type."""
    return next(key for key, one in knowledge.signatures.items() if one.signature.type == type_)


def tree(knowledge: Knowledge, type_: str, direction: chains.Direction = "next") -> ChainNode:
    """The tree of chains of this signature."""
    return chain_tree(knowledge.signatures.get, id_of(knowledge, type_), direction)


def test_a_chain_is_followed_to_what_ended_it() -> None:
    knowledge = gather(
        [
            leads(INDEX, "a", KEY, "s1", 1),
            leads(INDEX, "a", KEY, "s2", 2),
            facts_of(attempt(failed(KEY), fix("b")), attempt(clean()), name="s3", day=3),
        ]
    )
    root = tree(knowledge, "IndexError")
    (way,) = root.ways
    assert (way.id, way.fix, way.sessions) == (id_of(knowledge, "KeyError"), "a", ("s2", "s1"))
    assert way.ended_by == (("b", 1, 1),)
    (back,) = tree(knowledge, "KeyError", "previous").ways
    assert (back.id, back.fix, back.ended_by) == (root.id, "a", ())
    lines = list(tree_lines(root, tree(knowledge, "IndexError", "previous")))
    assert lines[1].startswith("└─ by a (2 sessions): ")
    assert lines[-1] == "   └─ fixed by b (1 of 1)"


def test_cycles_end() -> None:
    knowledge = gather([leads(INDEX, "a", KEY, "s1", 1), leads(KEY, "b", INDEX, "s2", 2)])
    root = tree(knowledge, "IndexError")
    assert [(node.fix, node.again) for node in nodes_of(root)] == [("", False), ("a", False), ("b", True)]
    assert any("stands elsewhere" in line for line in tree_lines(root, root))


def test_a_failure_that_two_ways_lead_to_is_followed_where_it_is_nearest() -> None:
    knowledge = gather(
        [leads(INDEX, "a", KEY, "s1", 1), leads(KEY, "b", VALUE, "s2", 2), leads(INDEX, "c", VALUE, "s3", 3)]
    )
    root = tree(knowledge, "IndexError")
    again = {node.fix: node.again for node in nodes_of(root)}
    assert again == {"": False, "a": False, "c": False, "b": True}


def test_a_tree_has_room_for_so_many_and_says_when_it_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chains, "MOST", 2)
    knowledge = gather([leads(INDEX, "a", KEY, "s1", 1), leads(INDEX, "b", VALUE, "s2", 2)])
    root = tree(knowledge, "IndexError")
    assert root.cut
    assert len(root.ways) == 1
    assert any(line.startswith("└─ and more") for line in tree_lines(root, root))


def test_nothing_known_is_said() -> None:
    knowledge = gather([facts_of(attempt(failed()))])
    root = tree(knowledge, "IndexError")
    assert "nothing is known" in list(tree_lines(root, root))[1]


def test_no_text_can_break_out_of_a_flowchart() -> None:
    knowledge = gather([leads(VALUE, "a", KEY, "s1", 1)])
    lines = list(mermaid_lines(tree(knowledge, "ValueError"), tree(knowledge, "ValueError", "previous")))
    assert lines[0] == "flowchart TD"
    (node,) = [line for line in lines if "ValueError" in line]
    label = node.split('["', 1)[1].rsplit('"]', 1)[0].split("<br>", 1)[1]
    assert not set('"<>|[]{}`') & set(label)
    assert [line for line in lines if "-->" in line] == ['  n0 -- "a (1)" --> n1']
