"""What tools of many languages print when a step of a CI job fails: the report, and nothing else, is shown."""

from __future__ import annotations

import pytest

from kb.failures.excerpt import excerpt
from kb.failures.find import find_failures
from kb.failures.lines import raw_lines

REPORTS = {
    "bundler": """\
Bundler could not find compatible versions for gem "rack":
  In Gemfile:
    till (~> 4.0) was resolved to 4.0.1, which depends on
      rack (>= 2.0)

    rails (~> 3.2) was resolved to 3.2.22, which depends on
      rack (= 1.4)""",
    "cabal": """\
cabal: Could not resolve dependencies:
trying: till-0.1.0.0 (user goal)
next goal: aeson (dependency of till-0.1.0.0)
rejecting: aeson-1.2.4.0 (conflict: till => aeson<1.0)""",
    "cpanm": """\
! Configure failed for DBD-mysql-4.046. See /root/.cpanm/work/1.2/build.log for details.
! Installing the dependencies failed: Module 'DBD::mysql' is not installed
! Bailing out the installation for Till-0.01.""",
    "ginkgo": """\
• Failure [0.001 seconds]
Drawer
/srv/till/drawer_test.go:9
  counts the coins [It]
  /srv/till/drawer_test.go:12

  Expected
      <int>: 3
  to equal
      <int>: 4

  /srv/till/drawer_test.go:14""",
    "opam": """\
#=== ERROR while compiling zarith.1.7 =========================================#
# context     2.0.0 | linux/x86_64 | ocaml-base-compiler.4.07.0 | https://opam.ocaml.org/1.2.2
# exit-code   1
### output ###
# include gmp.h: not found
# cannot find GMP nor MPIR""",
    "testthat": """\
1. Failure: total is right (@test-till.R#14) -----------------------------------
total(c(1, 2)) not equal to 4.
1/1 mismatches
[1] 3 - 4 == -1""",
    "dialyzer": """\
src/till.erl
  31: Function open/1 has no local return
  32: The call till_drawer:open(T::'now') breaks the contract (integer()) -> 'ok'""",
    "carthage": """\
Build Failed
\tTask failed with exit code 65:
\t/usr/bin/xcrun xcodebuild -workspace Quick.xcworkspace build""",
    "leiningen": """\
Could not find artifact acme:drawer:jar:2.1 in central (https://repo1.maven.org/maven2/)
Could not find artifact acme:drawer:jar:2.1 in clojars (https://clojars.org/repo/)
This could be due to a typo in :dependencies, file system permissions, or network issues.""",
    "dub": """\
core.exception.AssertError@source/till/drawer.d(31): unittest failure
----------------
??:? _d_unittestp [0x4412f2]
source/till/drawer.d:31 void till.drawer.__unittestL28_1() [0x43f0a2]""",
    "tox": "ERROR: InterpreterNotFound: python3.6",
    "pkg-config": """\
configure: error: Package requirements (libusb-1.0 >= 1.0.20) were not met:

Requested 'libusb-1.0 >= 1.0.20' but version of libusb-1.0 is 1.0.17

See the pkg-config man page for more details.""",
    "diff": """\
diff --git a/docs/api.md b/docs/api.md
index 1f2e3d4..5b6a798 100644
--- a/docs/api.md
+++ b/docs/api.md
@@ -12,3 +12,4 @@ Opens the drawer.
 ## close
+Closes the drawer.""",
    "automake": "FAIL: test_drawer",
}
ENDS = {
    "opam": "\n\n\n<><> Error report <><><><><>\n+- The following actions failed\n| - build zarith 1.7\n+- ",
    "automake": "\n"
    + "=" * 70
    + "\nTestsuite summary for till 1.2\n"
    + "=" * 70
    + "\n# TOTAL: 2\n# PASS:  1\n# FAIL:  1\n"
    "make: *** [check-am] Error 1",
    "ginkgo": "\n"
    + "-" * 30
    + "\n\n\nSummarizing 1 Failure:\n\n[Fail] Drawer [It] counts the coins \n/srv/till/drawer_test.go:14",
}


def travis(output: str) -> str:
    return (
        "$ export CI_MODE=full\n"
        f"travis_time:start:4e5f6a7b\r\x1b[0K$ ./check\n{output}\n\n"
        "travis_time:end:4e5f6a7b:start=1,finish=2,duration=1\r\x1b[0K\n"
        '\x1b[31;1mThe command "./check" exited with 1.\x1b[0m\n\nDone. Your build exited with 1.\n'
    )


def shown(log: str) -> list[str]:
    found = find_failures(log)
    assert found.primary is not None
    failure = found.failures[found.primary]
    return [text for number, text in excerpt(raw_lines(log), failure, beside=found.failures) if number]


@pytest.mark.parametrize("tool", sorted(REPORTS))
def test_the_report_of_a_tool_is_shown_whole_and_alone(tool: str) -> None:
    assert shown(travis("Installing the parts\n" + REPORTS[tool] + ENDS.get(tool, ""))) == REPORTS[tool].split("\n")


@pytest.mark.parametrize("tool", sorted(REPORTS))
def test_without_a_step_that_failed_it_begins_there_too(tool: str) -> None:
    if tool != "diff":
        found = find_failures("Installing the parts\n" + REPORTS[tool] + ENDS.get(tool, "") + "\n")
        assert found.failures


def test_above_a_failure_stands_neither_what_went_well_nor_what_is_of_another_step() -> None:
    output = "PASS: test_coin\nInstalling 3 parts\n[2/3] Building drawer.o\nERROR: the drawer is shut"
    assert shown(travis(output)) == ["ERROR: the drawer is shut"]


def test_above_a_failure_stands_what_the_program_was_about_to_do() -> None:
    log = "till 3.1\nStarting the drawer\nERROR: the drawer is shut\n"
    assert shown(log) == log.strip().split("\n")


def test_a_failure_that_is_told_twice_is_shown_once() -> None:
    error = "/srv/Till.java:[23,17] cannot find symbol\n{0}  symbol:   method openDrawer()\n{0}  location: class Till"
    output = (
        "[INFO] Scanning for projects...\n[ERROR] " + error.format("") + "\n[INFO] 1 error\n[INFO] BUILD FAILURE\n"
        "[ERROR] Failed to execute goal org.acme:compiler:3.1:compile (default) on project till: Compilation failure\n"
        "[ERROR] " + error.format("[ERROR]") + "\n[ERROR] -> [Help 1]"
    )
    assert shown(travis(output)) == ("[ERROR] " + error.format("")).split("\n")


def test_of_a_goal_of_maven_that_failed_its_own_words_are_shown() -> None:
    said = "[ERROR] Dead store to total in org.acme.Till.add(int) DLS_DEAD_LOCAL_STORE\n[WARNING] 1 bug is new"
    output = (
        "[INFO] Scanning for projects...\n[WARNING] a warning of another plugin\n"
        "[INFO] --- findbugs-maven-plugin:3.0.5:check (default) @ till ---\n[INFO] Total bugs: 1\n"
        f"{said}\n[INFO] ---------------\n[INFO] BUILD FAILURE\n"
        "[ERROR] Failed to execute goal org.acme:findbugs:3.0.5:check (default) on project till: failed with 1 bugs "
        "-> [Help 1]"
    )
    lines = shown(travis(output))
    assert said.split("\n") == [line for line in lines if line in said]
    assert not any("another plugin" in line for line in lines)


def test_what_apt_could_not_fetch_is_the_root_of_its_error() -> None:
    found = find_failures(
        "Get:2 http://apt.example.org trusty InRelease [2,412 B]\n"
        "W: Failed to fetch http://apt.example.org/dists/trusty/Packages  Hash Sum mismatch\n\n"
        "E: Some index files failed to download. They have been ignored, or old ones used instead.\n"
    )
    assert found.primary is not None
    assert found.failures[found.primary].message.endswith("Hash Sum mismatch")


@pytest.mark.parametrize("summary", ["ERROR:   py36: commands failed", "ERROR:  py36: InterpreterNotFound: python3.6"])
def test_the_summary_of_tox_only_says_which_environment_failed(summary: str) -> None:
    found = find_failures(f"ERROR: the drawer is shut\n____ summary ____\n{summary}\n")
    assert [failure.role for failure in found.failures] == ["root", "wrapper"]
    assert find_failures(f"____ summary ____\n{summary}\n").symptom_only
