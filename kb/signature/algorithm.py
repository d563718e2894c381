"""The versions of the algorithm that signs failures: a name, which ids begin with, and the rules in their order."""

from typing import NamedTuple

from kb.signature.model import ALGORITHM
from kb.signature.rules import RULES, Rule


class Algorithm(NamedTuple):
    """A version of the algorithm. What gives failures other ids is another version, with another name."""

    version: str
    rules: tuple[Rule, ...]


KB1 = Algorithm(ALGORITHM, RULES)

#: The version that signs now.
CURRENT = KB1
