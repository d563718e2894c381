"""Programs that end with the system's own words in other languages than English."""

from __future__ import annotations

import pytest

from kb.failures.find import find_failures
from kb.failures.system_words import TABLE, system_words
from kb.failures.tables import rows

SAID = [words for _, (_, words) in rows(TABLE, 2)]


@pytest.mark.parametrize("words", SAID)
def test_the_last_words_of_a_program_are_a_failure_in_any_language(words: str) -> None:
    found = find_failures(f"step 1\nstep 2\nstep 3\npack: kunden.db: {words.capitalize()}\n")
    assert [failure.line for failure in found.failures] == [4]


@pytest.mark.parametrize("words", SAID)
def test_the_same_words_in_passing_are_none(words: str) -> None:
    log = f"pack: kunden.db: {words.capitalize()}\n" + "".join(f"packed part {n}\n" for n in range(9))
    assert find_failures(log).failures == ()


def test_they_count_behind_a_colon_only_and_need_no_case_or_full_stop() -> None:
    assert system_words("cp: a: Keine Berechtigung.") == system_words("cp: a: keine berechtigung") != ""
    assert system_words("tar\xa0: a\xa0: Permission non accordée") != ""
    assert system_words("Keine Berechtigung") == ""
    assert system_words("a: alles in Ordnung") == ""


def test_they_tell_why_a_step_of_a_job_failed() -> None:
    log = "$ ./sichern.sh\nBeginne\ncp: nach: Auf dem Gerät ist kein Speicherplatz mehr verfügbar\nFertig\nERROR: Job failed: exit code 1\n"
    found = find_failures(log)
    assert found.primary is not None
    assert found.failures[found.primary].line == 3


def test_a_message_that_is_broken_to_a_width_begins_with_its_first_line() -> None:
    log = """\
Resolving parts

Could not fetch the list of parts from http://127.0.0.1:9/ due to
(Connection refused - connect(2) for 127.0.0.1:9)
(http://127.0.0.1:9/parts)
"""
    found = find_failures(log)
    assert [failure.line for failure in found.failures] == [3]


@pytest.mark.parametrize("said", ["Sicherung fehlgeschlagen", "La sauvegarde a échoué", "バックアップに失敗しました"])
def test_a_program_says_in_its_own_language_that_it_failed(said: str) -> None:
    assert [failure.line for failure in find_failures(f"eins\nzwei\ndrei\n{said}\n").failures] == [4]


@pytest.mark.parametrize("said", ["12 bestanden, 0 fehlgeschlagen", "成功 12、失敗 0"])
def test_a_count_of_none_that_failed_is_no_failure(said: str) -> None:
    assert find_failures(f"eins\nzwei\ndrei\n{said}\n").failures == ()


def test_an_attempt_that_was_followed_by_another_is_not_the_last_word() -> None:
    log = """\
renewing the lease failed (attempt 3): context deadline exceeded
the lease is renewed
startup: open /var/lib/billing/rates.csv: no such file or directory
"""
    assert [failure.line for failure in find_failures(log).failures] == [3]
