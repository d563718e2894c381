"""Test runners and checkers whose reports are a head line and what stands below it, each told by a row of a table."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from kb.failures.found import Find, first_said, spotted
from kb.failures.streams import Line, Stream

NAME = "blocks"
ABOUT = "Karma, clojure.test, Ginkgo, Dart, Hspec, NUnit, ScalaTest, GHC, OCaml, opam, Bundler, cpanm and others"
EXAMPLE = """\
lein test :only acme.basket-test/removes-items

FAIL in (removes-items) (basket_test.clj:14)
expected: (= {} (basket/remove-item {:pear 1} :pear))
  actual: (not (= {} {:pear 0}))
"""

_MOST = 60
_LONGEST = 2_000
_SAID = 6

#: Of a few rows, those that some line may begin.
_compiled = cache(re.compile)


class _Row(NamedTuple):
    """A report: its `head`, the lines below it that belong to it, and which of them tell the failure.

    A head holds one of the words of `says`: only then are the row's expressions compiled. `more` is what a further line
    begins with, `blanks` how many empty lines may stand between two of them, `told` the first line of the message (else
    the first one below the head, else the head), `type` the failure's type where no group of that name is in the head
    or in the line told. At `least` so many lines must stand below the head.
    """

    tool: str
    kind: str
    type: str
    says: tuple[str, ...]
    head: str
    more: str
    told: str = ""
    blanks: int = 0
    language: str | None = None
    least: int = 1
    weight: int = 0


#: What sbt writes before every line, and Stack before those of one of several packages.
_SBT = r"\[(?:info|error)\]"
_PACKAGE = r"(?:\S{1,80} {1,4}> )?"
_BROWSERS = r"Chrome|Chromium|HeadlessChrome|ChromeHeadless|Firefox|Safari|PhantomJS|Edge|IE|Opera|jsdom|Node\.js"
_TEST = r"(?P<test>\S.{0,300})"


# fmt: off
_TABLE: tuple[_Row, ...] = (
    _Row("Karma", "test", "FAILED", (" FAILED",),
        rf"(?!.*Executed \d)(?:\S.{{0,40}} )?(?:{_BROWSERS})\b.{{0,60}}\) {_TEST} FAILED$",
        r"\t| {4,}\S", language="javascript"),
    _Row("clojure.test", "test", "FAIL", ("FAIL in (", "ERROR in ("),
        r"(?P<type>FAIL|ERROR) in \((?P<test>.{1,200})\) \(.{0,200}\)$",
        r"\S| ", r"expected: ", language="clojure"),
    _Row("busted", "test", "Failure", (" → ",), r"(?P<type>Failure|Error) → .{1,300} @ \d{1,7}$",
        r"(?!(?:Failure|Error) → )\S| ", r"\S.{0,300}\.lua:\d{1,7}: ", language="lua"),
    _Row("dart test", "test", "TestFailure", ("[E]",),
        rf"\d\d:\d\d \+\d{{1,6}}(?: ~\d{{1,6}})? -\d{{1,6}}: {_TEST} \[E\]$", r"  ", blanks=1, language="dart"),
    _Row("elm-test", "test", "Expect", ("✗ ",), rf"✗ {_TEST}$", r"    ", r" +(?:│|\S)", blanks=2, language="elm"),
    _Row("Hspec", "test", "FAILED", ("hs:",), r"  (?P<file>\S{1,300}\.l?hs):\d{1,7}:(?:\d{1,5}:)? ?$",
        r" {2,}\S", r" {4,}(?!\d)\S", language="haskell", least=2),
    _Row("Hspec", "test", "FAILED", (" FAILED",),
        rf"  \d{{1,6}}\) {_TEST} FAILED(?: \[\d{{1,6}}\])?$",
        r" {3,}\S", language="haskell"),
    _Row("NUnit", "test", "Failed",
        (") Failed : ", ") Error : ", ") Invalid : ", ") Test Failure : ", ") Test Error : "),
        rf"\d{{1,6}}\) (?P<type>Failed|Error|Invalid|Test Failure|Test Error) : {_TEST}$",
        r"\S| ", language="csharp"),
    _Row("ScalaTest", "test", "FAILED", ("*** FAILED ***",),
        rf"(?:{_SBT} )? {{0,20}}- {_TEST} \*\*\* FAILED \*\*\*.{{0,30}}$",
        rf"(?:{_SBT} )? {{2,20}}(?!- )\S", language="scala"),
    _Row("specs2", "test", "FAILED", ("[info] ", "[error] "), rf"{_SBT} {{2,12}}[x!] {_TEST}$",
        rf"{_SBT} {{2,12}}(?![x!+] )\S", language="scala"),
    _Row("scalac", "build", "error", ("[error] ",),
        r"\[error\] (?P<file>\S{1,400}\.(?:scala|java)):\d{1,7}:(?:\d{1,5}:)? (?P<told>\S.{0,500})$",
        r"\[error\] (?! ?\S+:\d+:)(?!\(|(?:one|two|three|four|\d+) errors? found|Total time)",
        language="scala", least=0),
    _Row("GHC", "build", "error", ("hs:", "hsc:", "hs-boot:", ".y:", ".x:"),
        rf"{_PACKAGE}(?P<file>\S{{1,400}}\.(?:hs|lhs|hsc|hs-boot|chs|y|x)):"
        r"(?:\d{1,7}:\d{1,5}(?:-\d{1,5})?|\(\d{1,7},\d{1,5}\)-\(\d{1,7},\d{1,5}\)):"
        r"(?: error:(?: \[.{1,80}\])?)?(?: (?!warning|\[-?W)(?P<told>\S.{0,500}))?$",
        rf"{_PACKAGE} {{2,}}\S|{_PACKAGE} *\d* +\|", rf"{_PACKAGE} {{2,}}(?!\|)(?:• )?(?P<told>\S.*)",
        language="haskell", weight=1),
    _Row("OCaml", "build", "Error", ('File "',),
        r"File \"(?P<file>[^\"]{1,400})\", lines? [\d-]{1,15}(?:, characters [\d-]{1,15})?:$",
        r"(?!File \")(?: *\d+ \|| *[\^.]| {2,}\S|Error|Fatal error)", r"(?:Error|Fatal error)\b[^:]{0,80}: ",
        language="ocaml"),
    _Row("phpcs", "lint", "phpcs", ("FILE: ",), r"FILE: (?P<file>\S.{0,500})$",
        r"-{20}|FOUND \d| +\d{1,7} \||PHPCBF| {5,}\|", r" +\d{1,7} \| ERROR", least=3, language="php", weight=1),
    _Row("ShellCheck", "lint", "ShellCheck", (" line ",), r"In (?P<file>\S.{0,300}) line \d{1,7}:$",
        r"\S| ", r" *(?:\^-*\^?|\^--) (?P<type>SC\d{4})\b", language="shell", weight=1),
    _Row("Julia", "test", "Test Failed", ("Test Failed", "Error During Test"),
        rf"{_TEST}: (?P<type>Test Failed|Error During Test)(?: at .{{1,300}})?$",
        r" {2,}\S| \[\d|Stacktrace:", r" +(?:Evaluated: |Got exception)", language="julia"),
    _Row("elm make", "build", "elm", ("-- ",), r"-- (?P<type>[A-Z][A-Z ]{3,40}) -{3,200} \S.{0,300}$",
        r"(?!-- )\S| ", blanks=2, language="elm"),
    _Row("Nim", "test", "Check failed", ("Check failed: ",),
        r" {0,8}\S{1,400}\.nim\(\d{1,7}, \d{1,5}\): (?P<told>Check failed: .{1,500})$",
        r" {2,}\S", language="nim", least=0),
    _Row("CppUnit", "test", "assertion failed", (") test: ",),
        rf"\d{{1,6}}\) test: {_TEST} \([FE]\)(?: line: \d{{1,7}} .{{1,300}})?$", r"\S| ", language="cpp"),
    _Row("Composer", "resolver", "requirements", ("Your requirements could not",),
        r"(?P<told>Your requirements could not be resolved to an installable set of packages\.)",
        r" {2,}\S", blanks=1, language="php", weight=1),
    _Row("Bundler", "resolver", "compatible versions", ("ould not find compatible versions",),
        r"(?P<told>(?:Bundler c|C)ould not find compatible versions for gem .{1,200}:)$", r" {2,}\S", blanks=1,
        language="ruby", weight=1),
    _Row("cabal", "resolver", "dependencies", ("ould not resolve dependencies:",),
        r"(?:cabal: |Error: cabal: |rejecting: )?(?P<told>Could not resolve dependencies:)$",
        r"(?:\[__\d+\] )?(?:trying|next goal|rejecting|skipping|fail|After searching|Backjump|Dependency tree)\b|\(",
        language="haskell", weight=1),
    _Row("cpanm", "build", "error", ("! ",),
        r"(?:-> FAIL |! )(?P<told>(?:Configure|Building|Testing|Installing|Couldn't find module|Finding) .{1,400})$",
        r"(?:-> FAIL |! )(?!Timed)", least=0, language="perl", weight=1),
    _Row("Ginkgo", "test", "Failure", ("• ",),
        r"• (?P<type>Failure|Panic|Timeout)(?: in \S.{1,60})? \[\d[\d.]* seconds\]$",
        r"(?!-{20}|• )\S| ", r" +(?!/)(?:Expected|Unexpected|Timed out|\S+ )", blanks=1, language="go", least=3),
    _Row("opam", "build", "opam", ("=== ERROR while ",), r"#=== ERROR while (?P<test>\S.{0,200}?) =*#$", r"# |### ",
        r"# (?!(?:context|path|command|exit-code|env-file|output-file) )(?P<told>\S.*)", language="ocaml", weight=1),
    _Row("testthat", "test", "Failure", (" (@",),
        r"\d{1,5}\. (?P<type>Failure|Error): (?P<test>\S.{0,300}) \(@\S{1,200}#\d{1,7}\) -*$",
        r"(?!DONE |Error: Test failures|\d{1,5}\. (?:Failure|Error): |-{20})\S| ", language="r"),
    _Row("Dialyzer", "lint", "Dialyzer", (".erl",), r"(?P<file>\S{1,300}\.[eh]rl)$", r" {1,4}\d{1,7}: \S|Line \d{1,7} ",
        language="erlang"),
    _Row("Cabal", "resolver", "dependencies", ("ncountered missing ",),
        r"(?:\S{1,80}: |Error: (?:\S{1,80}: )?)?(?P<told>Encountered missing (?:or private )?dependencies:)$",
        r" *[A-Za-z][\w:-]{0,100}(?: -any| ?[<>=^]|,|$)", language="haskell", weight=1),
    _Row("rpmbuild", "packages", "RPM", ("error: ",),
        r"error: (?P<told>(?:Failed build dependencies|Installed \(but unpackaged\) file\(s\) found):)$", r"\s+\S",
        weight=1),
    _Row("dnf", "packages", "DNF", ("Error:",), r"Error: ?$", r" (?:Problem(?: \d{1,4})?: | ?- )\S",
        r" Problem(?: \d{1,4})?: (?P<told>\S.*)", weight=1),
    _Row("dnf", "packages", "DNF", ("No matching package to install: ",),
        r"(?P<told>No matching package to install: .{1,300})$", r"No matching package to install: |Not all depend",
        least=0, weight=1),
    _Row("dh_install", "packages", "missing files", ("dh_install: ",),
        r"dh_install: (?:warning: )?(?P<told>Cannot find \(any matches for\) .{1,400})$",
        r"dh_install: (?:(?:warning: )?Cannot find|(?:error: )?missing files, aborting)", blanks=1, weight=1),
    _Row("Carthage", "build", "Carthage", ("Build Failed",), r"Build Failed$", r"\t", weight=1, language="swift"),
    _Row("Leiningen", "resolver", "artifact", ("Could not find artifact ",),
        r"(?P<told>Could not find artifact \S{1,300} in .{1,300})$",
        r"Could not find artifact |This could be due|If you are behind", least=0, language="clojure", weight=1),
    _Row("tox", "build", "tox", ("ERROR: ",),
        r"ERROR: (?P<type>InterpreterNotFound|InvocationError|MissingDependency)(?:: | for )(?P<told>\S.{0,400})$",
        r"(?!)", least=0, language="python", weight=1),
    _Row("D", "test", "AssertError", ("@",),
        r"(?P<type>(?:\w{1,60}\.){1,8}\w{1,60}(?:Error|Exception))@(?P<file>\S{1,300}\.d)\(\d{1,7}\): "
        r"(?P<told>\S.{0,500})$",
        r"-{16}$|\S{1,300}:(?:\d{1,7}|\?) |\?\?:\? ", least=0, language="d", weight=1),
    _Row("pip", "resolver", "No matching distribution", ("Could not find a version",),
        r" {0,4}(?P<told>Could not find a version that satisfies the requirement .{1,500})$",
        r" {0,4}No matching distribution", least=0, weight=1),
    _Row("Black", "lint", "would reformat", ("would reformat",), r"(?P<told>would reformat \S.{0,500})$",
        r"would reformat |Oh no!|\d+ files? would|All done", blanks=1, least=0, language="python", weight=1),
    _Row("Prettier", "lint", "Code style issues", (".",), r"(?:\[warn\] )?\S{1,400}\.\w{1,8}$",
        r"(?:\[warn\] )?(?:\S{1,400}\.\w{1,8}$|Code style issues)", r"(?:\[warn\] )?(?P<told>Code style issues .*)",
        language="javascript", weight=1),
    _Row("rustfmt", "lint", "rustfmt", ("Diff in ",),
        r"(?P<told>Diff in \S.{0,400}?(?: at line \d{1,7}|:\d{1,7}):?)$", r"[ +-]",
        language="rust", weight=1),
    _Row("R CMD check", "test", "ERROR", ("Running the tests in",),
        r"Running the tests in ‘.{1,200}’ failed\.$", r"(?!\* )[ \tLC]",
        r"\s+(?P<told>(?:──|--) .{0,20}(?:Failure|Error).*)", blanks=1, language="r"),
    _Row("QUnit", "test", "Test failed", ("Test failed: ",), rf"(?:\S{{1,60}} )?Test failed: {_TEST}$",
        r"\t| {2,}\S", language="javascript"),
)
# fmt: on


#: What every head holds.
_HEAD = re.compile(
    r"FAILED|FAIL in|ERROR in|→ |\[E\]$|✗ |\.l?hs|\.hsc|\.y:|\.x:|\d\) |\[(?:error|info)\]|File \"|FILE: "
    r"|In \S.* line \d|Test Failed|Error During Test|-- [A-Z]|\.nim\(|Your requirements|Test failed: "
    r"|Could not find a version|would reformat|\S\.\w{1,8}$|Diff in |Running the tests in"
    r"|=== ERROR while |\d\. (?:Failure|Error): |^Build Failed|^Could not find artifact|^ERROR: [IMT]\w+[rd]\b"
    r"|ncountered missing |^dh_install: |^error: (?:F|I)|^Error: ?$|^No matching pack"
    r"|ould not find compatible|ould not resolve dep|^! |-> FAIL |^• |@\S+\.d\("
)


def read(lines: Stream) -> Iterator[Find]:
    """One find per report; the same report again joins the first."""
    seen: dict[tuple[str, str], Find] = {}
    index = 0
    while index < len(lines):
        text = lines[index].text
        if len(text) > _LONGEST or _HEAD.search(text) is None:
            index += 1
            continue
        find = next((find for row in _TABLE if (find := _told(lines, index, row)) is not None), None)
        if find is None:
            index += 1
            continue
        index += max(1, sum(1 for line in lines[index : index + _MOST] if find.first <= line.number <= find.last))
        if first_said(seen, (find.type, find.message), find):
            yield find


def _told(lines: Stream, index: int, row: _Row) -> Find | None:
    text = lines[index].text
    head = _compiled(row.head).match(text) if any(word in text for word in row.says) else None
    if head is None:
        return None
    body: list[Line] = []
    last = index + 1
    for place in range(index + 1, min(index + _MOST, len(lines))):
        text = lines[place].text
        if not text.strip():
            if place - last >= row.blanks:
                break
        elif _compiled(row.more).match(text):
            body.append(lines[place])
            last = place + 1
        else:
            break
    if len(body) < row.least:
        return None
    groups = head.groupdict()
    at, name, message = _message(lines[index], body, row, groups)
    if not message:
        return None
    notes = (groups["test"][:300],) if groups.get("test") else ()
    kind = row.kind if row.kind != "test" or f"{name}: {message[:20]}".split("\n", 1)[0] in at.text else "error"
    return spotted(
        NAME,
        kind,
        name,
        message,
        at,
        lines[index:last],
        language=row.language,
        notes=notes,
        weight=row.weight,
    )


def _message(head: Line, body: list[Line], row: _Row, groups: dict[str, str | None]) -> tuple[Line, str, str]:
    """The line that tells the failure, its type, and the message from that line on."""
    name = groups.get("type") or row.type
    if groups.get("told"):
        return head, name, "\n".join([groups["told"] or "", *_said(body[: _SAID - 1])]).strip()
    if not row.told:
        return (body[0], name, "\n".join(_said(body[:_SAID]))) if body else (head, name, "")
    for place, line in enumerate(body):
        if (match := _compiled(row.told).match(line.text)) is not None:
            said = match.groupdict()
            name = said.get("type") or name
            if said.get("told"):
                return line, name, (said["told"] or "").strip()
            return line, name, "\n".join(_said(body[place : place + _SAID]))
    return head, name, ""


def _said(lines: list[Line]) -> list[str]:
    return [re.sub(r"^\[(?:info|error)\] ", "", line.text).strip() for line in lines]
