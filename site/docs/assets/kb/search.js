/* The program behind the theme's search box: any text is looked for as it stands; nothing is an operator.
   Also finds what is nearest to a log that no rule knows. Pure but for `answer`, which speaks the theme's protocol. */
"use strict";
(() => {
  const MOST_WORDS = 24;
  const KIND = { signature: 1.2, fix: 1.05, session: 1, component: 1.1, page: 0.9 };

  const SHORT = 4; // a shorter word is found inside others only when nothing else is
  const HITS = 20; // hits looked at in one line, to find the best
  const QUALITY = { inside: 0.4, start: 1, whole: 1.5 };
  const CAMEL = /[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+){2,9}/g;

  /* The initials of names in camel case, by which people know them: OutOfMemoryError is an oom. */
  const acronyms = (text) =>
    [...new Set(text.match(CAMEL) || [])].slice(0, 50).map((name) => name.replace(/[^A-Z]/g, "").toLowerCase()).join(" ");

  /* Lines to search, as one long lower-case string: scanning that is faster than any index of this size. `cased` is the
     same with its capitals, which say where words begin. */
  const prepare = (entries) => {
    const cased = entries.map((one) => {
      const title = `${one.title} ${acronyms(one.title)}`.trimEnd();
      return `${title}\t${one.text}\t${acronyms(one.text)}`.replace(/\n/g, " ");
    });
    const low = cased.map((line) => line.toLowerCase());
    const starts = new Float64Array(low.length + 1);
    low.forEach((line, i) => {
      if (line.length !== cased[i].length) cased[i] = line; // some letters grow when they become small
      starts[i + 1] = starts[i] + line.length + 1;
    });
    const joined = (lines) => lines.join("\n") + "\n";
    return { entries, starts, hay: joined(low), cased: joined(cased), titles: low.map((line) => line.indexOf("\t")) };
  };

  /* The entries of the data file: kind, url, title, text between tabs. */
  const parse = (text) =>
    text ? text.split("\n").map((line) => { const [kind, url, title, body] = line.split("\t"); return { kind, url, title, text: body || "" }; }) : [];

  const lineAt = (corpus, position) => {
    let low = 0;
    let high = corpus.entries.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (corpus.starts[middle] <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  };

  /* The words of a query: split where no identifier, path or option is cut; the longest first. */
  const words = (query) => {
    const all = query.toLowerCase().split(/[\s"'`()\[\]{}<>,;|]+/).map((word) => word.replace(/^[.:!?]+|[.:!?]+$/g, ""));
    const telling = [...new Set(all.filter((word) => word.length > 1 && !/^\d+$/.test(word)))];
    const chosen = telling.length ? telling : [...new Set(all.filter(Boolean))];
    return chosen.sort((a, b) => b.length - a.length).slice(0, MOST_WORDS);
  };

  const LETTER = /[a-z]/i;
  const UPPER = /[A-Z]/;
  const DIGIT = /[0-9]/;

  /* Whether a word, or a part of an identifier, begins at `at` (or ends before it). */
  const parted = (text, at) => {
    const before = text[at - 1] ?? " ";
    const here = text[at] ?? " ";
    if (LETTER.test(before) && LETTER.test(here)) return !UPPER.test(before) && UPPER.test(here);
    return !(DIGIT.test(before) && DIGIT.test(here));
  };

  const quality = (corpus, at, word) => {
    if (!parted(corpus.cased, at)) return QUALITY.inside;
    return parted(corpus.cased, at + word.length) ? QUALITY.whole : QUALITY.start;
  };

  /* The places of lines that hold `word`, and how much their best hit counts; `inside` allows hits inside words. */
  const holding = (corpus, word, inside) => {
    const found = new Map();
    let hits = 0;
    for (let at = corpus.hay.indexOf(word); at >= 0; ) {
      const place = lineAt(corpus, at);
      const value = quality(corpus, at, word);
      const inTitle = at - corpus.starts[place] < corpus.titles[place];
      if (inside || value > QUALITY.inside)
        found.set(place, Math.max(found.get(place) || 0, value * (inTitle ? 1.6 : 1)));
      const enough = ++hits >= HITS || value === QUALITY.whole;
      const next = corpus.hay.indexOf(word, enough ? corpus.starts[place + 1] : at + 1);
      if (next < 0 || next >= corpus.starts[place + 1]) hits = 0;
      at = next;
    }
    return found;
  };

  const ranked = (corpus, wanted, inside) => {
    const scores = new Map();
    for (const { word, weight } of wanted) {
      const found = holding(corpus, word, inside || word.length >= SHORT);
      const rare = Math.log(1 + corpus.entries.length / (1 + found.size) + 1 / (1 + found.size));
      for (const [place, value] of found)
        scores.set(place, (scores.get(place) || 0) + weight * rare * Math.sqrt(word.length) * value);
    }
    return scores;
  };

  /* The best entries for a query: [{entry, score}], best first. */
  const query = (corpus, raw, most = 40) => {
    const whole = raw.trim().toLowerCase().replace(/\s+/g, " ");
    if (!whole) return [];
    const wanted = [{ word: whole, weight: 8 }];
    for (const word of words(raw)) if (word !== whole) wanted.push({ word, weight: 1 });
    let scores = ranked(corpus, wanted, false);
    if (!scores.size) scores = ranked(corpus, wanted, true);
    return [...scores]
      .map(([place, score]) => ({ entry: corpus.entries[place], score: score * (KIND[corpus.entries[place].kind] || 1) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, most);
  };

  const escape = (text) => text.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

  /* `text` as HTML with the words marked: the theme puts titles and texts into the page as markup, so all is escaped
     here, piece by piece. */
  const marked = (text, wanted) => {
    const low = text.toLowerCase();
    if (low.length !== text.length) return escape(text);
    const on = new Uint8Array(text.length + 1);
    for (const word of wanted)
      for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, at + word.length)) on.fill(1, at, at + word.length);
    let out = "";
    for (let start = 0; start < text.length; ) {
      let end = start + 1;
      while (end < text.length && on[end] === on[start]) end++;
      const piece = escape(text.slice(start, end));
      out += on[start] ? `<mark data-md-highlight>${piece}</mark>` : piece;
      start = end;
    }
    return out;
  };

  /* The part of a long text around its first hit. */
  const snippet = (text, wanted) => {
    const low = text.toLowerCase();
    const hits = wanted.map((word) => low.indexOf(word)).filter((at) => at >= 0);
    const start = Math.max(0, (hits.length ? Math.min(...hits) : 0) - 60);
    return (start ? "… " : "") + text.slice(start, start + 220) + (start + 220 < text.length ? " …" : "");
  };

  const NAMES = { signature: "Signature", fix: "Fix", session: "Session", component: "Component", page: "" };

  const result = ({ entry, score }, wanted) => {
    const kind = NAMES[entry.kind] ? `<span class="kb-hit-kind">${NAMES[entry.kind]}</span> ` : "";
    return [{
      location: entry.url, score, terms: {},
      title: marked(entry.title, wanted),
      text: `<p>${kind}${marked(snippet(entry.text, wanted), wanted)}</p>`,
    }];
  };

  const plain = (html) =>
    html.replace(/<[^>]*>/g, " ").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&amp;/g, "&");

  /* The theme's protocol: 0 set up with the index of the hand-written pages, 1 ready, 2 query, 3 result.
     `post` sends a message back, `load` gives a data file by name. */
  const answer = (post, load) => {
    let corpus = null;
    return async ({ type, data }) => {
      if (type === 0) {
        const pages = data.docs.map((one) => ({ kind: "page", url: one.location, title: plain(one.title), text: plain(one.text) }));
        corpus = prepare([...parse(await load("search")), ...pages]);
        post({ type: 1 });
      } else if (type === 2 && corpus) {
        const wanted = [data.trim().toLowerCase().replace(/\s+/g, " "), ...words(data)].filter(Boolean);
        const items = query(corpus, data).map((hit) => result(hit, wanted));
        post({ type: 3, data: { items, suggest: [] } });
      }
    };
  };

  globalThis.kbSearch = { prepare, parse, query, words, answer };
})();
