/* Finding known signatures in a log. Pure: text in, findings out; runs in a page and in a worker.
   Words of the log are hashed once; only the rules that hang on a word that occurs are loaded and tried. */
"use strict";
(() => {
  const LONGEST_LINE = 1500; // characters of a line that patterns are tried on
  const MOST_TRIES = 20000; // lines on which one rule is tried
  const ROLES = ["root", "cascade", "wrapper", "teardown"];

  const ANSI = /\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\x07\x1b\r\n]{0,2048}(?:\x07|\x1b\\)|[ -/]{0,4}[0-Z\\^-~])/g;
  const LOST_ESCAPE = /(?:\^\[|\u241b|(?<!\\)\\u001[bB])\[[0-9;]{0,16}m|\[(?:\d{1,2};)+\d{1,3}m|\[0m|\[3[0-7]m|\[1m/g;
  const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]/g;
  const UNUSUAL = /[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff\u241b]|\^M$|\^\[|\[\d/;

  /* A line as a person saw it: without colours, with only what a carriage return left visible. */
  const clean = (line) => {
    if (!UNUSUAL.test(line)) return line;
    line = line.replace(ANSI, ""); // first: a colour code behind a carriage return hides nothing
    line = line.replace(/\r+$/, "");
    line = line.slice(line.lastIndexOf("\r") + 1);
    line = line.replace(LOST_ESCAPE, "");
    return line.replace(/\^M$/, "").replace(CONTROL, "");
  };

  /* 32-bit numbers packed as differences, seven bits a byte. */
  const unpack = (text) => {
    const bytes = atob(text);
    const numbers = new Set();
    let value = 0;
    let difference = 0;
    let scale = 1;
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes.charCodeAt(i);
      difference += (byte & 127) * scale;
      scale *= 128;
      if (byte < 128) {
        value += difference;
        numbers.add(value);
        difference = 0;
        scale = 1;
      }
    }
    return numbers;
  };

  const WORD = new Uint8Array(128);
  for (const c of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") WORD[c.charCodeAt(0)] = 1;

  /* Tell `found` about each word of the line that some rule hangs on. */
  const eachWord = (line, wanted, found) => {
    let hash = 0x811c9dc5;
    let length = 0;
    for (let i = 0; i <= line.length; i++) {
      const c = i < line.length ? line.charCodeAt(i) : 0;
      if (c < 128 && WORD[c]) {
        hash = Math.imul(hash ^ c, 0x01000193);
        length++;
      } else if (length) {
        if (length > 2 && wanted.has(hash >>> 0)) found(hash >>> 0);
        hash = 0x811c9dc5;
        length = 0;
      }
    }
  };

  /* Gives the page a chance to breathe, at most once in a frame. */
  const breather = (pause) => {
    let last = performance.now();
    return async () => {
      if (!pause || performance.now() - last < 12) return;
      await pause();
      last = performance.now();
    };
  };

  /* The clean lines with their raw numbers; a record that holds escaped line feeds gives several. */
  const read = async (text, breathe) => {
    const lines = [];
    const numbers = [];
    let number = 0;
    for (let start = 0; start < text.length; ) {
      let end = text.indexOf("\n", start);
      if (end < 0) end = text.length;
      number++;
      const line = clean(text.slice(start, Math.min(end, start + 4 * LONGEST_LINE)));
      const parts = line.includes("\\n") ? line.replace(/\\(["'])/g, "$1").split(/(?:\\r)?\\n/) : [line];
      for (const part of parts) {
        lines.push(part.slice(0, LONGEST_LINE));
        numbers.push(number);
      }
      start = end + 1;
      if (number % 500 === 0) await breathe();
    }
    return { lines, numbers, total: number };
  };

  const compile = (pattern) => {
    try {
      return new RegExp(pattern, "s");
    } catch {
      return null;
    }
  };

  /* Whether each context matches a line near the one at `place`. */
  const held = (contexts, lines, place, near, below) => {
    if (!contexts.length) return true;
    const around = lines.slice(Math.max(0, place - near), place);
    if (below) around.push(...lines.slice(place + 1, place + 1 + near));
    return contexts.every((context) => around.some((line) => context.test(line)));
  };

  /* What one rule finds in the lines at `places`, or null. */
  const tryRule = async (row, places, log, near, breathe) => {
    const [, url, title, role, pattern, wanted, below, anchor, fix, helped, tries, sessions, last, ended] = row;
    const rule = compile(pattern);
    const contexts = wanted.map(compile);
    if (!rule || contexts.includes(null)) return null;
    let first = -1;
    let count = 0;
    for (const place of places.slice(0, MOST_TRIES)) {
      const line = log.lines[place];
      await breathe();
      if (!line.includes(anchor) || !rule.test(line)) continue;
      if (!held(contexts, log.lines, place, near, below)) continue;
      if (first < 0) first = place;
      count++;
    }
    if (!count) return null;
    return {
      url, title, role, fix, helped, tries, sessions, last, ended, count,
      line: log.numbers[first], text: log.lines[first], weight: pattern.length,
    };
  };

  /* By role; then failures in which an attempt ended once before those that only stood beside others; then by line, and
     on the same line the pattern that says more. */
  const order = (a, b) =>
    ROLES.indexOf(a.role) - ROLES.indexOf(b.role) || b.ended - a.ended || a.line - b.line || b.weight - a.weight;

  /* All known signatures in `text`, the likely cause first. `load` gives a data file by name, `pause` lets others run
     (leave it out in a worker). Out: the number of lines, and the findings. */
  const find = async (text, load, pause) => {
    const breathe = breather(pause);
    const index = await load("rules");
    index.wanted ??= unpack(index.words);
    const log = await read(text, breathe);
    const places = new Map();
    for (let i = 0; i < log.lines.length; i++) {
      eachWord(log.lines[i], index.wanted, (hash) => {
        const list = places.get(hash);
        if (!list) places.set(hash, [i]);
        else if (list[list.length - 1] !== i) list.push(i);
      });
      if (i % 500 === 0) await breathe();
    }
    const shards = [...new Set([...places.keys()].map((hash) => hash % index.shards))];
    const files = await Promise.all(["any", ...shards].map((name) => load(`rules/${name}`)));
    const every = log.lines.map((_, place) => place);
    const found = [];
    for (const row of files.flat()) {
      const where = row[0] ? places.get(row[0]) : every;
      const finding = where && (await tryRule(row, where, log, index.near, breathe));
      if (finding) found.push(finding);
    }
    return { lines: log.total, found: found.sort(order) };
  };

  globalThis.kbMatcher = { find, clean };
})();
