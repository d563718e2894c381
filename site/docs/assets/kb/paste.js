/* The box on the home page: a log goes in, the known failures in it come out. Nothing is sent anywhere.
   What comes from the log or from records is only ever put into the page as text. */
"use strict";
(() => {
  const SHOWN = 3000; // characters of a long log that the box itself shows: laying out more takes seconds
  const LONG = 100000;
  const MOST = 32 * 1024 * 1024; // bytes of a file that are read: its end, where programs die
  const PATIENCE = 30000; // milliseconds
  const KEPT = "kb-paste"; // where the tab keeps the last log
  const MOST_KEPT = 2 * 1024 * 1024; // characters
  const ROLES = {
    root: "root cause",
    cascade: "follows from another failure",
    wrapper: "wraps another failure",
    teardown: "after-effect of stopping",
  };
  const EXCEPTION = /^\S*(?:Error|Exception)\b.*: /;
  const ERROR = /error|exception|fatal|panic|fail|denied|refused|killed|abort|cannot|not found/i;

  const element = (name, kind, ...children) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  };
  const counted = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;
  const pause = () => new Promise((resolve) => setTimeout(resolve));

  /* Runs the matcher in a worker where there are workers, else in the page, in slices. Searches may overlap: each waits
     for its own answer, and one that takes too long ends only what was asked before it. */
  const finder = () => {
    const pending = new Map();
    let worker = null;
    let lastTurn = 0;

    const settle = (turn) => {
      const waiting = pending.get(turn);
      pending.delete(turn);
      clearTimeout(waiting?.timer);
      return waiting;
    };
    const post = (turn) => {
      worker ??= startWorker();
      worker.postMessage({ turn, text: pending.get(turn).text });
    };
    /* A worker that hangs takes the searches behind it with it, so those are asked again. */
    const giveUp = (turn) => {
      worker?.terminate();
      worker = null;
      settle(turn)?.reject(new Error("it took too long"));
      for (const other of pending.keys()) post(other);
    };
    const startWorker = () => {
      const made = new Worker(new URL("matcher-worker.js", kb.folder));
      made.onmessage = ({ data }) => {
        const waiting = settle(data.turn);
        if (data.error) waiting?.reject(new Error(data.error));
        else waiting?.resolve(data.result);
      };
      made.onerror = () => {
        made.terminate();
        if (worker === made) worker = null;
        for (const turn of [...pending.keys()]) {
          const { text, resolve, reject } = settle(turn);
          kbMatcher.find(text, kb.load, pause).then(resolve, reject);
        }
      };
      return made;
    };

    return (text) => {
      if (location.protocol === "file:") return kbMatcher.find(text, kb.load, pause);
      const turn = ++lastTurn;
      return new Promise((resolve, reject) => {
        pending.set(turn, { text, resolve, reject, timer: setTimeout(() => giveUp(turn), PATIENCE) });
        post(turn);
      });
    };
  };

  const bar = (helped, tries) => {
    const meter = element("span", "kb-meter");
    meter.style.setProperty("--kb-part", tries ? helped / tries : 0);
    return element("span", "kb-bar", meter, element("b", "", `${helped}/${tries}`));
  };

  /* The last line of the log that names an exception which no finding stands on; "" when there is none. */
  const unrecognised = (text, found) => {
    const known = new Set(found.map((one) => one.text));
    const lines = text.slice(-LONG).split("\n").map((line) => kbMatcher.clean(line).slice(0, 4000));
    return lines.findLast((line) => EXCEPTION.test(line) && !known.has(line)) ?? "";
  };

  const symptoms = (unknown) =>
    element("span", "kb-card-fix", "Only symptoms are known here: look for what came before or after it.",
      unknown && element("span", "kb-card-unknown", " Not known yet: ", element("code", "kb-card-line", unknown.slice(0, 400))));

  const card = (finding, first, unknown) => {
    const title = element("a", "kb-card-title", finding.title);
    title.href = new URL(finding.url, kb.root);
    const times = finding.count > 1 ? `, ${finding.count} times` : "";
    const side = element("span", "kb-card-side", `line ${finding.line.toLocaleString("en")}${times}`);
    const line = element("code", "kb-card-line", finding.text.trim().slice(0, 400));
    const seen = `${counted(finding.sessions, "session")}${finding.last ? `, last ${finding.last}` : ""}`;
    let fix = null;
    if (finding.role !== "root") fix = first ? symptoms(unknown) : null;
    else if (finding.fix) fix = element("span", "kb-card-fix", element("b", "", finding.fix), " ", bar(finding.helped, finding.tries));
    else fix = element("span", "kb-card-fix", "no fix proven yet");
    const kind = finding.role !== "root" ? "kb-card-symptom" : finding.fix ? "" : "kb-card-open";
    return element("li", `kb-card ${kind}${first ? " kb-card-first" : ""}`, title, side, line, fix,
      element("span", "kb-card-seen", `${finding.role === "root" ? "" : "a symptom: "}${ROLES[finding.role] || ""} · seen in ${seen}`));
  };

  /* When no rule matches: the signatures nearest to the lines that look like errors, by their words. */
  const nearest = async (text) => {
    const corpus = (nearest.corpus ??= kbSearch.prepare(
      kbSearch.parse(await kb.load("search")).filter((entry) => entry.kind === "signature")));
    const lines = text.slice(-LONG).split("\n").map(kbMatcher.clean).filter((line) => line.trim());
    const telling = lines.filter((line) => ERROR.test(line));
    const best = new Map();
    for (const line of (telling.length ? telling : lines).slice(-12)) {
      for (const hit of kbSearch.query(corpus, line.slice(0, 600), 3)) {
        const known = best.get(hit.entry.url);
        if (!known || known.score < hit.score) best.set(hit.entry.url, hit);
      }
      await pause();
    }
    return [...best.values()].sort((a, b) => b.score - a.score).slice(0, 3).map((hit) => hit.entry);
  };

  const show = async (place, status, text, result, took) => {
    const { found, lines } = result;
    status.textContent = `${counted(found.length, "known failure")} in ${counted(lines, "line")}, ${Math.round(took)} ms; nothing left this browser`;
    if (found.length) {
      const unknown = found[0].role === "root" ? "" : unrecognised(text, found);
      place.replaceChildren(element("ol", "kb-cards", ...found.slice(0, 50).map((one, i) => card(one, i === 0, unknown))));
      return;
    }
    const near = await nearest(text);
    const list = near.map((entry) => {
      const link = element("a", "kb-card-title", entry.title);
      link.href = new URL(entry.url, kb.root);
      return element("li", "kb-card kb-card-near", link);
    });
    const words = "No failure in it is known here.";
    place.replaceChildren(element("p", "kb-unknown", near.length ? `${words} Nearest by their words, which proves nothing:` : words),
      element("ul", "kb-cards", ...list));
  };

  /* The last log, for when the reader comes back in the same tab; a long one would not fit. */
  const keep = (text) => {
    try {
      if (text && text.length < MOST_KEPT) sessionStorage.setItem(KEPT, text);
      else sessionStorage.removeItem(KEPT);
    } catch {
      // Without storage the box starts empty.
    }
  };
  const kept = () => {
    try {
      return sessionStorage.getItem(KEPT) ?? "";
    } catch {
      return "";
    }
  };

  const mount = () => {
    const box = document.getElementById("kb-paste");
    if (!box) return;
    const area = box.querySelector("textarea");
    const status = box.querySelector(".kb-stat");
    const place = box.querySelector(".kb-found");
    const clear = box.querySelector("button");
    const find = finder();
    let whole = null; // a long log, kept beside the box
    let run = 0;
    let timer = 0;

    const look = async () => {
      const mine = ++run;
      const text = whole ?? area.value;
      keep(text);
      clear.hidden = !text;
      if (!text.trim()) { place.replaceChildren(); status.textContent = ""; return; }
      status.textContent = "looking …";
      const start = performance.now();
      try {
        const result = await find(text);
        if (mine === run) await show(place, status, text, result, performance.now() - start);
      } catch (error) {
        if (mine === run) status.textContent = `The log could not be searched: ${error.message}`;
      }
    };
    const take = (text) => {
      whole = text.length > LONG ? text : null;
      area.value = whole ? `${text.slice(0, SHOWN)}\n… (${(text.length / 1048576).toFixed(1)} million characters in all)` : text;
      look();
    };
    const open = async (file) => {
      status.textContent = "reading …";
      take(await file.slice(Math.max(0, file.size - MOST)).text());
    };

    area.addEventListener("paste", (event) => {
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (text.length <= LONG) return;
      event.preventDefault();
      take(text);
    });
    area.addEventListener("input", () => { whole = null; clearTimeout(timer); timer = setTimeout(look, 150); });
    area.addEventListener("dragover", (event) => event.preventDefault());
    area.addEventListener("drop", (event) => {
      const file = event.dataTransfer?.files?.[0];
      if (!file) return;
      event.preventDefault();
      open(file);
    });
    box.querySelector("input[type=file]").addEventListener("change", (event) => {
      if (event.target.files[0]) open(event.target.files[0]);
      event.target.value = "";
    });
    clear.addEventListener("click", () => { take(""); area.focus(); });
    if (matchMedia("(min-width: 60em)").matches) area.focus({ preventScroll: true });
    /* Who comes back to this page finds it as it was left; who comes anew finds it empty. */
    addEventListener("pageshow", () => {
      const [arrival] = performance.getEntriesByType("navigation");
      const text = arrival && arrival.type !== "navigate" ? kept() : "";
      if (text && !(whole ?? area.value)) take(text);
      else if (area.value && !run) look();
    });
  };
  addEventListener("DOMContentLoaded", mount);
})();
