"""The box on the home page: a log goes in, known failures come out, the cause first, and nothing leaves the browser."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from runbook_factory import (
    ENGINE,
    KIMI,
    MROPE,
    OOM,
    SERVER_LOG,
    WORKER,
    facts_of,
    gather_small,
    make_signature,
    oom_facts,
    seen,
    small_knowledge,
)
from site_factory import make_site

from kb.runbook.data.rules import rule_files
from kb.runbook.library import make_library

LINE = "AttributeError: 'KimiK25Config' object has no attribute 'image_token_index'"


def test_the_cause_comes_first_and_symptoms_after_it(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    lines = SERVER_LOG.rstrip("\n").split("\n")
    with visit(small) as reader:
        page = reader.open()
        # The loudest line is first here: the role decides, not the order.
        assert reader.paste("\n".join(reversed(lines))) == [KIMI.title, WORKER.title, ENGINE.title]
        first = page.locator(".kb-card").first
        assert "line 3" in first.inner_text()
        assert "Allow kimi k2 model type" in first.inner_text()
        assert "3/3" in first.inner_text()
        assert "a symptom: follows from another failure" in page.locator(".kb-card").nth(1).inner_text()
        assert "3 known failures in 12 lines" in page.locator("#kb-paste .kb-stat").inner_text()
        page.locator(".kb-card-title").first.click()
        page.wait_for_load_state()
        assert page.url.endswith(f"/s/{KIMI.id}/")


@pytest.mark.parametrize(
    "log",
    [
        LINE,
        f"\x1b[31m{LINE}\x1b[0m",
        "\x1b[1mAttributeError\x1b[0m: 'KimiK25Config' object has no \x1b[31mattribute\x1b[0m 'image_token_index'",
        f"{LINE}\r\nnext\r\n",
        f"loading 10%\rloading 90%\r{LINE}\r",
        LINE.replace("object", "ob\x00ject"),
        f"2026-02-22T16:02:11.000000000Z stderr F {LINE}",
        f"> {LINE}",
        f"[36m(EngineCore pid=3105)[0m [1;36mERROR[0m {LINE}",
        json.dumps({"level": "error", "stack": f"Traceback (most recent call last):\n{LINE}\n"}),
        LINE.replace("KimiK25Config", "Some_Other9Config"),
        f"{LINE} ^M",
        LINE.replace("attribute", "\x1b[4mattri\x1b[24mbute").replace("object", "\x1b]8;;http://x/\x07object\x1b]8;;\x07"),
    ],
    ids=[
        "plain", "coloured", "coloured inside", "CRLF", "progress bar", "NUL", "container", "quoted", "lost escapes",
        "JSON", "another name", "caret M", "underlined, with a link",
    ],
)  # fmt: skip
def test_a_line_is_known_however_it_was_copied(blank, log: str) -> None:  # type: ignore[no-untyped-def]
    scripts = [text for _, text in rule_files(make_library(*small_knowledge()))]
    blank.evaluate("scripts => scripts.forEach((script) => (0, eval)(script))", scripts)
    found = blank.evaluate("log => kbMatcher.find(log, async (name) => data.get(name))", log)["found"]
    assert [one["title"] for one in found] == [KIMI.title]


def test_symptoms_alone_send_the_reader_on(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        assert reader.paste(SERVER_LOG.split("\n")[11]) == [ENGINE.title]
        first = page.locator(".kb-card-first")
        assert "look for what came before or after it." in first.inner_text()
        assert first.locator(".kb-card-unknown").count() == 0


def test_an_exception_that_is_not_known_is_shown_beside_known_symptoms(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    unknown = "acme.NewError: <b>nobody</b> has seen this"
    with visit(small) as reader:
        page = reader.open()
        assert reader.paste(f"{unknown}\n{SERVER_LOG.splitlines()[11]}\nfiller") == [ENGINE.title]
        assert page.locator(".kb-card-unknown code").inner_text() == unknown
        reader.paste(f"{unknown}\n{LINE}")
        assert page.locator(".kb-card-unknown").count() == 0


def test_who_comes_back_finds_the_log_and_its_failures(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        reader.paste(SERVER_LOG)
        page.locator(".kb-card-title").first.click()
        page.wait_for_url(f"**/s/{KIMI.id}/")
        page.go_back()
        page.wait_for_selector(".kb-card-first")
        assert page.locator(".kb-card-title").first.inner_text() == KIMI.title
        assert page.locator("#kb-paste textarea").input_value() == SERVER_LOG
        reader.open("signatures/")
        reader.open()
        assert page.locator("#kb-paste textarea").input_value() == ""


def test_a_log_that_was_cleared_does_not_come_back(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        reader.paste(SERVER_LOG)
        page.locator("#kb-paste button").click()
        page.reload()
        assert page.locator("#kb-paste textarea").input_value() == ""


def test_a_search_that_was_overtaken_ends_nothing(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.page
        # Clocks that only the test moves, and workers whose end is counted.
        page.add_init_script(
            """window.ended = 0;
            const end = Worker.prototype.terminate;
            Worker.prototype.terminate = function () { window.ended++; return end.call(this); };
            window.patience = new Map();
            const start = window.setTimeout, stop = window.clearTimeout;
            window.setTimeout = (call, wait, ...more) => {
                const id = start(call, wait, ...more);
                if (wait === 30000) window.patience.set(id, call);
                return id;
            };
            window.clearTimeout = (id) => { window.patience.delete(id); stop(id); };"""
        )
        reader.open()
        page.evaluate(
            """(line) => {
                const area = document.querySelector("#kb-paste textarea");
                const filler = "INFO object has no attribute index\\n".repeat(20000);
                for (const text of [filler, filler + line]) {
                    const data = new DataTransfer();
                    data.setData("text/plain", text);
                    area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
                }
            }""",
            LINE,
        )
        reader.finished()
        assert page.locator(".kb-found .kb-card-title").all_inner_texts() == [KIMI.title]
        assert page.evaluate("window.patience.size") == 0
        assert page.evaluate("window.ended") == 0


def test_a_browser_that_gives_no_worker_looks_in_the_page(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        reader.page.add_init_script(
            """window.Worker = class { constructor() { throw new DOMException("no", "SecurityError"); } };
            window.waiting = 0;
            const start = window.setTimeout, stop = window.clearTimeout, known = new Set();
            window.setTimeout = (call, wait, ...more) => {
                const id = start(call, wait, ...more);
                if (wait === 30000) { known.add(id); window.waiting++; }
                return id;
            };
            window.clearTimeout = (id) => { if (known.delete(id)) window.waiting--; stop(id); };"""
        )
        reader.open()
        assert reader.paste(LINE) == [KIMI.title]
        assert reader.page.evaluate("window.waiting") == 0


def test_the_box_works_from_disk(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small, disk=True) as reader:
        page = reader.open()
        assert reader.paste(SERVER_LOG)[0] == KIMI.title
        page.locator(".kb-card-title").first.click()
        page.wait_for_load_state()
        assert page.locator(".kb-first").is_visible()


def test_a_line_that_says_too_little_needs_its_context(visit, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    bare = make_signature("Bare assertion in validate_cache", "AssertionError: bad", context=" in validate_cache")
    session, facts = oom_facts()
    facts = replace(
        facts, occurrences=(seen(bare, "AssertionError: bad\n", "AssertionError", 1, "root", primary=True),)
    )
    site = make_site(tmp_path, gather_small([facts]), {session.id: session})
    frame = '  File "/x.py", line 3, in validate_cache'
    with visit(site) as reader:
        reader.open()
        assert reader.paste(f"{frame}\n    assert x\nAssertionError: bad") == [bare.title]
        reader.open()
        assert reader.paste("\n".join([frame, *["filler"] * 59, "AssertionError: bad"])) == [bare.title]
        far = ["filler"] * 60
        reader.paste("\n".join([frame, *far, "AssertionError: bad", frame]))
        assert "0 known failures" in reader.page.locator("#kb-paste .kb-stat").inner_text()


def test_an_unknown_log_says_so_and_names_the_nearest(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        page = reader.open()
        assert reader.paste("ValueError: torch.OutOfMemoryError was raised elsewhere") == []
        assert "0 known failures in 1 line" in page.locator("#kb-paste .kb-stat").inner_text()
        assert "which proves nothing" in page.locator(".kb-found-by").inner_text()
        assert page.locator(".kb-hit-title").first.inner_text() == OOM.title


def test_a_log_without_any_failure_is_an_answer(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        reader.open()
        reader.paste("zzz: qqq\n")
        assert "No failure in it is known here." in reader.page.locator(".kb-unknown").inner_text()


def test_the_guide_is_no_answer_to_a_log(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        reader.open()
        reader.paste(
            'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nNewError: a session of a log\n'
        )
        assert reader.page.locator(".kb-hit-page").count() == 0
        assert reader.search("glossary")[0] == "Glossary"


@pytest.mark.parametrize("disk", [False, True], ids=["served", "from disk"])
def test_a_large_log_is_searched_while_the_page_lives(visit, small: Path, disk: bool) -> None:  # type: ignore[no-untyped-def]
    with visit(small, disk=disk) as reader:
        page = reader.open()
        page.evaluate(
            """(line) => {
                window.beats = 0;
                window.beat = setInterval(() => { window.beats++; }, 5);
                const filler = "INFO step 1: object has no news, attribute index 12 loss 0.25\\n".repeat(60000);
                const data = new DataTransfer();
                data.setData("text/plain", filler + line + "\\n" + filler);
                const area = document.querySelector("#kb-paste textarea");
                area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
                window.beatsAtStart = window.beats;
            }""",
            LINE,
        )
        reader.finished()
        assert page.evaluate("window.beats") > 3
        assert page.locator(".kb-found .kb-card-title").all_inner_texts() == [KIMI.title]
        assert "line 60,001" in page.locator(".kb-found .kb-card").inner_text()
        assert len(page.locator("#kb-paste textarea").input_value()) < 4000


def test_a_file_can_be_opened_and_dropped(visit, small: Path, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    log = tmp_path / "server.log"
    log.write_text(SERVER_LOG)
    with visit(small) as reader:
        page = reader.open()
        page.locator("#kb-paste input[type=file]").set_input_files(str(log))
        page.wait_for_selector(".kb-card-first")
        assert page.locator(".kb-card-title").first.inner_text() == KIMI.title
        page.locator("#kb-paste button").click()
        page.wait_for_selector(".kb-card-first", state="detached")
        assert page.locator("#kb-paste textarea").input_value() == ""
        page.evaluate(
            """(text) => {
                const data = new DataTransfer();
                data.items.add(new File([text], "server.log"));
                const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
                document.querySelector("#kb-paste textarea").dispatchEvent(drop);
            }""",
            SERVER_LOG,
        )
        page.wait_for_selector(".kb-card-first")


def test_only_the_shards_that_may_know_are_loaded(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    with visit(small) as reader:
        reader.open()
        reader.paste(LINE)
        shards = {url.rsplit("/", 1)[1] for url in reader.requests if "/data/rules/" in url}
        assert "any.js" in shards
        assert len(shards) == 2


def test_a_thousand_failures_are_told_apart(blank) -> None:  # type: ignore[no-untyped-def]
    session, _ = oom_facts()
    signatures = [
        make_signature(
            f"Key {n} is gone", "KeyError: cannot find ", ("7", "number"), f" of shard layer_{n:04}_weight here"
        )
        for n in range(1000)
    ]
    occurrences = [seen(s, "".join(p.text for p in s.segments), "KeyError", 1, "root") for s in signatures]
    library = make_library(gather_small([facts_of(session, occurrences)]), {session.id: session})
    wanted = [3, 500, 999]
    log = "\n".join(f"KeyError: cannot find {n * 31} of shard layer_{n:04}_weight here" for n in wanted)
    blank.evaluate(
        "scripts => scripts.forEach((script) => (0, eval)(script))", [text for _, text in rule_files(library)]
    )
    loaded, found = blank.evaluate(
        """async (log) => {
            const loaded = [];
            const { found } = await kbMatcher.find(log, async (name) => { loaded.push(name); return data.get(name); });
            return [loaded, found.map((one) => one.title)];
        }""",
        log,
    )
    assert found == [signatures[n].title for n in wanted]
    assert len(loaded) <= 5


def test_every_signature_knows_its_own_line(visit, small: Path) -> None:  # type: ignore[no-untyped-def]
    knowledge, _ = small_knowledge()
    with visit(small) as reader:
        reader.open()
        for known in knowledge.signatures.values():
            text = known.occurrences[0][1].failure.text
            assert reader.paste(text) == [known.signature.title]
    assert MROPE.id in knowledge.signatures


class Strict(SimpleHTTPRequestHandler):
    """A host that forbids pages, and their workers, to fetch anything."""

    asked: ClassVar[list[str]] = []

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", "connect-src 'none'")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name is the base class's
        self.asked.append(self.path)


def test_a_host_that_lets_pages_fetch_nothing_is_answered_all_the_same(chromium, small: Path) -> None:  # type: ignore[no-untyped-def]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Strict, directory=str(small)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    context = chromium.new_context()
    try:
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        assert page.evaluate("fetch('index.html').then(() => 'let through', () => 'refused')") == "refused"
        page.locator("#kb-paste textarea").fill(SERVER_LOG)
        page.locator(".kb-card-first").wait_for()
        assert page.locator(".kb-card-title").first.inner_text() == KIMI.title
        assert "/assets/kb/matcher-worker.js" in Strict.asked
        assert "/assets/kb/data/rules.js" in Strict.asked
    finally:
        context.close()
        server.shutdown()
        server.server_close()
