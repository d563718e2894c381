/* Texts as the search sees them: words of a query, grams by which blocks are found, and where in a text a word stands.
   The grams are those of kb/runbook/data/search/grams.py; a query is only ever looked for as it stands. */
"use strict";
(() => {
  const MOST_WORDS = 24;
  const LONGEST = 1000; // characters of a query that are looked at
  const SHORT = 4; // a shorter word is found inside others only when nothing else is
  const HITS = 20; // hits looked at in one text, to find the best
  const QUALITY = { none: 0, inside: 0.4, start: 1, whole: 1.5 };
  const WIDE = "\u2e80"; // from here on two characters are a word

  const LETTER = /\p{L}/u;
  const SMALL = /\p{Ll}/u;
  const UPPER = /\p{Lu}/u;
  const DIGIT = /[0-9]/;

  /* The query on one line, in small letters. */
  const normal = (raw) => raw.slice(0, LONGEST).trim().toLowerCase().replace(/\s+/g, " ");

  /* The words of a query: split where no identifier, path or option is cut; the longest first. */
  const words = (query) => {
    const all = normal(query).split(/[\s"'`()\[\]{}<>,;|]+/).map((word) => word.replace(/^[.:!?]+|[.:!?]+$/g, ""));
    const telling = [...new Set(all.filter((word) => word.length > 1 && !/^\d+$/.test(word)))];
    const chosen = telling.length ? telling : [...new Set(all.filter(Boolean))];
    return chosen.sort((a, b) => b.length - a.length).slice(0, MOST_WORDS);
  };

  /* The grams that a text must hold to hold `text`; a word of two letters is only looked for at the beginning of words. */
  const grams = (text) => {
    const points = Array.from(text.length === 2 && text < WIDE ? ` ${text}` : text);
    const found = new Set();
    for (let i = 0; i + 2 < points.length; i++) found.add(points[i] + points[i + 1] + points[i + 2]);
    for (let i = 0; points.length === 2 && i < 1; i++) if (points[0] >= WIDE && points[1] >= WIDE) found.add(text);
    return [...found];
  };

  /* Whether a word, or a part of an identifier, begins at `at` (or ends before it). */
  const parted = (text, at) => {
    const before = text[at - 1] ?? " ";
    const here = text[at] ?? " ";
    if (before >= WIDE || here >= WIDE) return true;
    if (LETTER.test(before) && LETTER.test(here)) return SMALL.test(before) && UPPER.test(here);
    return !(DIGIT.test(before) && DIGIT.test(here));
  };

  /* The best place of `word` in a row, in the title or not: how well it stands there, 0 where it does not. `inside` allows
     short words inside others. */
  const standing = (row, word, inside) => {
    const best = { title: QUALITY.none, text: QUALITY.none };
    let hits = 0;
    for (let at = row.low.indexOf(word); at >= 0; at = row.low.indexOf(word, at + 1)) {
      const starts = parted(row.cased, at);
      const value = !starts ? QUALITY.inside : parted(row.cased, at + word.length) ? QUALITY.whole : QUALITY.start;
      const place = at < row.titleEnd ? "title" : "text";
      if (inside || word.length >= SHORT || value > QUALITY.inside) best[place] = Math.max(best[place], value);
      if (++hits >= HITS || (value === QUALITY.whole && place === "text")) break;
    }
    return best;
  };

  /* A row of a block, with what is searched of it; `cased` has its capitals, which say where words begin. */
  const read = ([kind, url, title, text, also, fix = "", helped = 0, tries = 0, seen = 0, last = "", role = ""]) => {
    const cased = ` ${title}\t ${text}\t ${also}`;
    const low = cased.toLowerCase();
    return {
      kind, url, title, text, fix, helped, tries, seen, last, role, low,
      cased: low.length === cased.length ? cased : low, // some letters grow when they become small
      titleEnd: title.length + 1,
    };
  };

  /* Where in `text` the words stand: [start, end] pairs in order that do not touch. */
  const ranges = (text, wanted) => {
    const low = text.toLowerCase();
    if (low.length !== text.length) return [];
    const on = new Uint8Array(text.length + 1);
    for (const word of wanted)
      for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, at + word.length)) on.fill(1, at, at + word.length);
    const found = [];
    for (let start = on.indexOf(1); start >= 0; start = on.indexOf(1, start)) {
      const end = on.indexOf(0, start);
      found.push([start, end]);
      start = end;
    }
    return found;
  };

  const PART = " · "; // between the parts of a text: raw lines, commands, prose
  const SHOWN = 200;

  /* The part of a text that holds the most of the words, cut to what can be shown around the first of them. */
  const snippet = (text, wanted) => {
    let [best, most] = ["", -1];
    for (const part of new Set(text.split(PART))) {
      const low = part.toLowerCase();
      const held = wanted.reduce((sum, word) => sum + (low.includes(word) ? word.length : 0), 0);
      if (held > most) [best, most] = [part, held];
    }
    const low = best.toLowerCase();
    const hit = wanted.map((word) => low.indexOf(word)).find((at) => at >= 0) ?? 0;
    const start = Math.max(0, Math.min(hit - 50, best.length - SHOWN));
    return (start ? "… " : "") + best.slice(start, start + SHOWN) + (start + SHOWN < best.length ? " …" : "");
  };

  globalThis.kbText = { normal, words, grams, standing, read, ranges, snippet, QUALITY, WIDE };
})();
