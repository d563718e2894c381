/* The one box of the site: words, one line, a traceback or a whole log go in; known failures come out, then what else
   holds the words. It stands on the home page, and opens over every other page. Nothing is sent anywhere. */
"use strict";
(() => {
  const { element, counted } = kbResults;
  const SHOWN = 3000; // characters of a long log that the box itself shows: laying out more takes seconds
  const LONG = 100000;
  const MOST = 32 * 1024 * 1024; // bytes of a file that are read: its end, where programs die
  const WAIT = 120; // milliseconds after the last key
  const SLOW = 400; // milliseconds after which it is said that something is going on
  const REMEMBER = 1500; // milliseconds until a query counts as meant
  const BRIEF = 600; // characters, and lines, of a text that is searched as it stands
  const BRIEF_LINES = 8;
  const TELLING = 3; // lines of a longer one
  const MOST_HITS = 20;
  const BESIDE = 5; // hits beside known failures
  const ERROR = /error|exception|fatal|panic|fail|denied|refused|killed|abort|cannot|not found/i;
  const HINT = "Search, or paste a line, a traceback or a whole log; or drop a file. It stays in this browser.";

  /* Whether a text may be of a log at all: only then its known failures are looked for before anything else. */
  const likeLog = (text) => {
    const whole = text.trim();
    return whole.length > BRIEF || /\n\s*\S|: |\b\w*(?:Error|Exception)\b.*\s/.test(whole) || whole.split(/\s+/).length > 3;
  };

  /* Until a browser has painted, and has nothing better to do. */
  const idle = () => new Promise((resolve) => globalThis.requestIdleCallback ? requestIdleCallback(resolve, { timeout: 300 }) : setTimeout(resolve, 50));

  /* What to search for: the text itself, or of a long one the lines that tell most. */
  const query = (text, found) => {
    const whole = text.trim();
    if (whole.includes("\n")) {
      const line = found.length ? found[0].text : kbResults.unrecognised(whole, []);
      if (line) return line.slice(0, 300);
    }
    if (whole.length <= BRIEF && whole.split("\n").length <= BRIEF_LINES) return whole.split("\n").map(kbMatcher.clean).join(" ");
    const lines = whole.slice(-LONG).split("\n").map(kbMatcher.clean).filter((line) => line.trim());
    const telling = lines.filter((line) => ERROR.test(line));
    return (telling.length ? telling : lines).slice(-TELLING).map((line) => line.slice(0, 300)).join(" ");
  };

  const readAs = ({ read }) => read.map(([word, other]) => `“${word}” read as “${other}”`).join(", ");

  /* The parts of a box, put into `place`. */
  const build = (place, rows) => {
    const area = kbResults.written("textarea", "");
    Object.assign(area, { rows, spellcheck: false, autocomplete: "off", placeholder: HINT });
    area.setAttribute("autocapitalize", "off");
    area.setAttribute("aria-label", "Search or paste a log");
    area.setAttribute("enterkeyhint", "search");
    const file = element("input", "");
    file.type = "file";
    const clear = element("button", "", "Clear");
    Object.assign(clear, { type: "button", hidden: true });
    const status = element("span", "kb-stat");
    status.setAttribute("role", "status");
    const parts = { place, area, file, clear, status, recent: element("div", "kb-recent"), found: element("div", "kb-found"), hits: element("div", "kb-hits") };
    place.replaceChildren(area,
      element("p", "kb-paste-bar", element("label", "kb-file", "Open a file ", file), clear, status),
      parts.recent, parts.found, parts.hits);
    return parts;
  };

  /* Bring a box to life. Out: `take` puts a text into it, `text` gives it, `focus` goes there. */
  const mount = (place, rows) => {
    const { area, file, clear, status, recent, found, hits } = build(place, rows);
    let whole = null; // a long log, kept beside the box
    let run = 0;
    let timer = 0;
    let meant = 0;
    let ready = Promise.resolve(); // when the text in the box has its first answer

    const text = () => whole ?? area.value;
    const links = () => [...place.querySelectorAll(".kb-recent a, .kb-card-title, .kb-hit-title")];

    const showRecent = () => {
      const list = text() ? [] : kbAsked.recent();
      if (!list.length) return recent.replaceChildren();
      const forget = element("button", "", "Forget these");
      forget.type = "button";
      forget.addEventListener("click", () => { kbAsked.forget(); showRecent(); area.focus(); });
      const item = (one) => {
        const link = kbResults.written("a", "", one);
        link.href = `#q=${encodeURIComponent(one)}`;
        return element("li", "", link);
      };
      const head = element("span", "", "Recent searches");
      recent.replaceChildren(head, element("ul", "", ...list.map(item)), forget);
    };

    const showHits = (mine, answer, known, log) => {
      if (mine !== run) return;
      const urls = new Set(known.map((one) => one.url));
      const sure = answer.hits.length && answer.hits[0].tier >= kbRank.TIER.words;
      // A page of the guide shares its words with many a log, and helps nobody whose service is down.
      const fits = ({ row }) => !urls.has(row.url) && !(log && row.kind === "page");
      const list = answer.hits.filter(fits).slice(0, known.length ? BESIDE : MOST_HITS);
      let heading = "";
      if (known.length) heading = "Also found by its words:";
      else if (log && !sure) heading = "Nearest by their words, which proves nothing:";
      hits.replaceChildren(...kbResults.hits(list, answer.asked, heading));
      return list.length;
    };

    /* Nothing found is an answer, too: what one can do then. */
    const nothing = () => hits.replaceChildren(element("p", "kb-unknown", "Nothing here holds this. Try fewer words, a part of a name, or paste the line as it was printed."));

    const counts = (found) => {
      const maybe = found.filter((one) => one.maybe).length;
      return counted(found.length - maybe, "known failure") + (maybe ? ` and ${counted(maybe, "suggestion")}` : "");
    };

    /* Said to everybody, and to those who cannot see it also what stands first. */
    const say = (parts) => {
      const first = links().find((link) => !link.closest(".kb-recent"))?.textContent;
      const hidden = first ? element("span", "kb-unseen", `. First: ${first}`) : "";
      status.replaceChildren([...parts, "nothing left this browser"].filter(Boolean).join("; "), hidden);
    };

    /* What is in the box is looked up; known failures first where it may be of a log. */
    const look = async () => {
      const mine = ++run;
      clearTimeout(timer);
      timer = 0;
      const asked = text();
      kbAsked.keep(asked);
      kbAsked.toAddress(asked);
      clearTimeout(meant);
      if (kbAsked.short(asked)) meant = setTimeout(() => kbAsked.remember(asked), REMEMBER);
      clear.hidden = !asked;
      showRecent();
      if (!asked.trim()) {
        found.replaceChildren();
        hits.replaceChildren();
        status.textContent = "";
        place.removeAttribute("aria-busy");
        return;
      }
      place.setAttribute("aria-busy", "true");
      const slow = setTimeout(() => { if (mine === run) status.textContent = "looking …"; }, SLOW);
      try {
        const log = likeLog(asked);
        ready = answer(mine, asked, log);
        await ready;
        clearTimeout(slow);
        if (!log) await late(mine, asked);
      } catch (error) {
        if (mine === run) status.textContent = `This could not be searched: ${error.message}`;
      }
      clearTimeout(slow);
      if (mine === run) place.removeAttribute("aria-busy");
    };

    const answer = async (mine, asked, log) => {
      const start = performance.now();
      const result = log ? await kbFinder(asked) : { found: [], lines: 0 };
      if (mine !== run) return;
      const took = Math.round(performance.now() - start);
      const known = log ? `${counts(result.found)} in ${counted(result.lines, "line")}, ${took} ms` : "";
      showKnown(result, asked, log);
      if (log) hits.replaceChildren();
      // What is found first is shown before anything more is loaded.
      const told = async (some) => {
        const shown = showHits(mine, some, result.found, log);
        if (mine === run && !log) {
          if (some.exact) status.textContent = `${shown ? "nothing holds all of it" : "nothing found"} as it is typed; looking for words like it …`;
          else if (some.read.length) status.textContent = `${readAs(some)}; looking on …`;
          else if (!shown) status.textContent = "nothing found yet as it is typed; looking on …";
        }
        await idle();
        return mine === run;
      };
      const last = await kbSearch.find(query(asked, result.found), kb.load, told);
      if (mine !== run) return;
      const count = showHits(mine, last, result.found, log);
      const read = readAs(last);
      if (!count && !log) nothing();
      const by = count ? (last.more ? "the best of many pages shown" : `${counted(count, "page")} found`) : log ? "" : "nothing found";
      // A log made to keep the matcher busy is given up: what it would have found is not known.
      const cut = result.complete === false ? "too much to compare, so some of it was not looked at" : "";
      const old = result.strange ? `${counted(result.strange, "rule")} not tried: this page is older than its rules, load it again` : "";
      say([known, cut, old, by, read]);
    };

    /* Even a single word may be the whole of a known failure; that is rare enough to come second. */
    const late = async (mine, asked) => {
      const result = await kbFinder(asked);
      if (mine !== run || !result.found.length) return;
      showKnown(result, asked, true);
      say([counts(result.found)]);
    };

    const showKnown = (result, asked, log) => {
      const known = result.found.some((one) => !one.maybe);
      const none = log && !known ? [element("p", "kb-unknown", "No failure in it is known here. In a terminal, ", element("code", "", "kb triage"), " names what began it.")] : [];
      found.replaceChildren(...none, ...kbResults.known(result.found, asked));
    };

    /* Open what stands first, once it is there. */
    const enter = async () => {
      if (timer) look();
      await ready.catch(() => {});
      links().find((link) => !link.closest(".kb-recent"))?.click();
    };

    const take = (given) => {
      whole = given.length > LONG ? given : null;
      area.value = whole ? `${given.slice(0, SHOWN)}\n… (${(given.length / 1048576).toFixed(1)} million characters in all)` : given;
      look();
    };
    const open = async (given) => {
      status.textContent = "reading …";
      take(await given.slice(Math.max(0, given.size - MOST)).text());
    };

    area.addEventListener("paste", (event) => {
      const given = event.clipboardData?.getData("text/plain") ?? "";
      if (given.length <= LONG) return;
      event.preventDefault();
      take(given);
    });
    area.addEventListener("input", () => { whole = null; clearTimeout(timer); timer = setTimeout(look, WAIT); });
    area.addEventListener("dragover", (event) => event.preventDefault());
    area.addEventListener("drop", (event) => {
      const given = event.dataTransfer?.files?.[0];
      if (!given) return;
      event.preventDefault();
      open(given);
    });
    file.addEventListener("change", () => {
      if (file.files[0]) open(file.files[0]);
      file.value = "";
    });
    clear.addEventListener("click", () => { take(""); area.focus(); });
    found.addEventListener("click", () => kbAsked.remember(text()));
    hits.addEventListener("click", () => kbAsked.remember(text()));
    place.addEventListener("keydown", (event) => kbKeys(event, area, links, enter));
    showRecent();

    return { take, text, look, showRecent, focus: () => area.focus({ preventScroll: true }) };
  };

  globalThis.kbBox = { mount };
})();
