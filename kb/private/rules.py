"""The rules of redaction as data: forms of tokens, contexts of secrets, and personal values.

Every expression is RE2 syntax and works on the bytes of one line without escape sequences. RE2 and Hyperscan both run
in linear time whatever the line holds.
"""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from kb.errors import Location, TableError
from kb.failures.tables import rows

_HERE = Path(__file__).parent
TOKENS = _HERE / "tokens.txt"
CONTEXTS = _HERE / "contexts.txt"
PERSONAL = _HERE / "personal.txt"
NAMES = _HERE / "names.txt"
VALUES = _HERE / "values.txt"

#: The kind of a secret that only its surroundings give away.
VALUE = "value"

_TOKEN_CHECKS = ("any", "mixed")
_CONTEXT_CHECKS = ("any", "named", "whole", "told", "long")
#: What {LEFT} stands for in tokens.txt: the start of a line, an escaped line end, or no part of a name.
LEFT = r"(?:^|\\[nrt]|[^A-Za-z0-9_])"
#: What personal.txt may name: each has its placeholder <kind:n>.
PERSONAL_KINDS = ("email", "user", "host", "ip")


class Rule(NamedTuple):
    """One line of a table: what it finds, what must hold of it, the expression, and where it stands."""

    kind: str
    check: str
    pattern: str
    table: Path
    number: int

    @property
    def personal(self) -> bool:
        """Whether this is about a person or a place, not about access."""
        return self.table is PERSONAL


@cache
def rules() -> tuple[Rule, ...]:
    """All rules in the order of precedence: of two spans that overlap, the earlier rule names the kind."""
    found = [
        Rule(kind, check, pattern.replace("{LEFT}", LEFT), TOKENS, at) for at, (kind, check, pattern) in rows(TOKENS, 3)
    ]
    _need(found, _TOKEN_CHECKS)
    word = "|".join(cells[1] for _, cells in rows(NAMES, 2) if cells[0] == "word")
    contexts = [
        Rule(VALUE, check, "(?i)" + pattern.replace("{NAME}", word), CONTEXTS, at)
        for at, (check, pattern) in rows(CONTEXTS, 2)
    ]
    _need(contexts, _CONTEXT_CHECKS)
    personal = [Rule(kind, "any", pattern, PERSONAL, at) for at, (kind, pattern) in rows(PERSONAL, 2)]
    for rule in personal:
        if rule.kind not in PERSONAL_KINDS:
            raise TableError(
                f"unknown kind {rule.kind!r}",
                location=Location(str(PERSONAL), rule.number),
                hint="one of " + ", ".join(PERSONAL_KINDS),
            )
    return (*found, *contexts, *personal)


def _need(found: list[Rule], checks: tuple[str, ...]) -> None:
    for rule in found:
        if rule.check not in checks:
            raise TableError(
                f"unknown check {rule.check!r}",
                location=Location(str(rule.table), rule.number),
                hint="one of " + ", ".join(checks),
            )


@cache
def expression(index: int) -> tuple[Any, int]:
    """The rule at `index` compiled: its search (bytes, start), and how many groups it has.

    Raises TableError with the line of the rule when it is no expression.
    """
    rule = rules()[index]
    found = compiled(rule.pattern, rule.table, rule.number)
    return found.search, found.groups


def compiled(pattern: str, table: Path, number: int) -> Any:
    """`pattern` compiled for bytes; errors name the line of the table."""
    import re2

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    options.never_nl = False
    options.max_mem = 64 << 20
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error as error:
        text = error.args[0]
        reason = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
        raise TableError(f"not a regular expression: {reason}", location=Location(str(table), number)) from error
