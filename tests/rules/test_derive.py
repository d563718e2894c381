"""What a rule says of its signature."""

from __future__ import annotations

from dataclasses import replace

import pytest
from runbook_factory import small_knowledge

from kb.failures.find import find_failures
from kb.rules.derive import candidates
from kb.signature.sign import sign

#: What the machine of a session had: most of it has nothing to do with a failure.
HAD = ("python", "cuda", "torch", "vllm")


@pytest.mark.parametrize(
    ("log", "component"),
    [
        (
            'Traceback (most recent call last):\n  File "/v/site-packages/vllm/engine.py", line 3, in step\n    go()\n'
            "ValueError: no blocks\n",
            "vllm",
        ),
        ("torch.OutOfMemoryError: CUDA out of memory.\n", "cuda"),
        ('Traceback (most recent call last):\n  File "a.py", line 3, in step\nKeyError: 3\n', "python"),
        ("sum.cpp:3:5: error: 'x' was not declared in this scope\n", "c++"),
    ],
)
def test_a_rule_is_filed_under_what_its_failure_names_not_under_what_the_machine_had(log: str, component: str) -> None:
    found = find_failures(log)
    assert found.primary is not None
    failure = found.failures[found.primary]
    knowledge, _ = small_knowledge()
    known = next(one for one in knowledge.signatures.values() if one.occurrences and one.role == "root")
    session, seen = known.occurrences[0]
    signature = sign(failure)
    here = replace(
        known,
        signature=signature,
        components=dict.fromkeys(HAD, ("1",)),
        occurrences=((session, replace(seen, failure=failure, signature=signature)),),
        merged=(),
    )
    (one,) = candidates(replace(knowledge, signatures={signature.id: here}))
    assert one.rule.component == component
