/* Finding known signatures in a log. Pure: text in, findings out; runs in a page and in a worker.
   Words of the log are hashed once; only the rules that hang on words that occur are loaded and tried. A rule is tried in
   time linear in the line, without regular expressions, and all steps are counted: no log can make the search long. */
"use strict";
(() => {
  const LONGEST_LINE = 4000; // characters of a line that rules are tried on
  const MOST_STEPS = 100e6; // characters looked at by all rules together: some seconds at the very most
  const ROLES = ["root", "cascade", "wrapper", "teardown"];

  const ANSI = /\x1b(?:\[[0-?]{0,64}[ -/]{0,8}[@-~]|[\]PX^_][^\x07\x1b\r\n]{0,2048}(?:\x07|\x1b\\)|[ -/]{0,4}[0-Z\\^-~])/g;
  const LOST_ESCAPE =
    /(?:\^\[|\u241b|(?<!\\)\\u001[bB])\[[0-9;]{0,16}m|\[(?:\d{1,2};){1,4}\d{1,3}m|(?<![\w\])])\[(?:0|1|3[0-7])m|(?<=[\w)\]])\[0m/g;
  const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]/g;
  const UNUSUAL = /[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ufeff\u241b]|\^M$|\^\[|\[\d|it\/s|s\/it|\\u001/;
  const TELLING = /error|exception|traceback|fatal|panic|failed|killed|aborted|segmentation fault/i;
  const PROGRESS = /%\||it\/s|s\/it|eta |B\/s/;

  /* What was printed right behind a progress bar, which ends without a line end. */
  const pastBar = (line) => {
    for (const rate of ["it/s", "s/it"]) {
      const at = line.lastIndexOf(rate);
      if (at < 0) continue;
      const end = line.indexOf("]", at);
      return end >= 0 && line.slice(end + 1).trim() ? line.slice(end + 1) : line;
    }
    return line;
  };

  /* A line as a person saw it: without colours, with only what a carriage return left visible, and before it, as lines of
     their own, the texts that tell of an error and were written over. */
  const cleanParts = (line) => {
    if (!UNUSUAL.test(line)) return [line];
    const parts = line.replace(ANSI, "").replace(/(?<!\r)\r+$/, "").split("\r"); // colours first: a code hides nothing
    const visible = parts.pop();
    const kept = [];
    for (const part of parts.map(pastBar)) {
      const follows = kept.length && part.trim() && !PROGRESS.test(part);
      if ((TELLING.test(part) || follows) && part !== kept.at(-1)) kept.push(part);
    }
    return [...kept, visible].map((one) =>
      pastBar(one).replace(LOST_ESCAPE, "").replace(/\^M$/, "").replace(CONTROL, "").replace(/^\xa0.*/, (text) => text.replaceAll("\xa0", " ")));
  };
  const clean = (line) => cleanParts(line).at(-1);

  const between = (low, high) => (c) => c >= low && c <= high;
  const digit = between(48, 57);
  const letter = (c) => (c >= 65 && c <= 90) || (c >= 97 && c <= 122);
  const wordly = (c) => digit(c) || letter(c) || c === 95;
  const is = (...codes) => (c) => codes.includes(c);
  const not = (code) => (c) => c !== code;
  const whatever = () => true;
  const other = (c) => c < 32 || c > 126;
  const hex = (c) => digit(c) || (c >= 65 && c <= 70) || (c >= 97 && c <= 102);
  const many = (of) => ({ ends: [1], ways: [[0, of, 1], [1, of, 1]] });
  const manyOrNone = (of) => ({ ends: [0], ways: [[0, of, 0]] });

  /* The gaps (kb/signature/gaps.py) as machines: from one state over a character to another; state 0 is where a gap
     begins, `ends` are states in which it may be over. */
  const GAPS = {
    number: { ends: [1], ways: [[0, digit, 1], [1, digit, 1], [1, is(46), 2], [2, digit, 1]] },
    numbers: many((c) => digit(c) || c === 44 || c === 32 || c === 45),
    size: {
      ends: [4],
      ways: [[0, digit, 1], [1, digit, 1], [1, is(46), 2], [2, digit, 2], [1, is(32), 3], [2, is(32), 3], [1, letter, 4], [2, letter, 4], [3, letter, 4], [4, letter, 4]],
    },
    hex: { ends: [3], ways: [[0, is(48), 1], [1, is(120), 2], [2, hex, 3], [3, hex, 3]] },
    "hex-dashes": many((c) => hex(c) || c === 45),
    word: many(not(32)),
    quoted: many((c) => c !== 39 && c !== 34),
    words: many(whatever),
    url: many(not(32)),
    path: manyOrNone(not(32)),
    value: { ends: [2], ways: [[0, is(39), 1], [1, not(39), 1], [1, is(39), 2]] },
    name: { ends: [1], ways: [[0, (c) => letter(c) || c === 95, 1], [1, wordly, 1]] },
    quote: { ends: [1, 2], ways: [[0, is(96, 39), 1], [0, other, 2], [2, other, 2]] },
    rest: manyOrNone(whatever),
    other: many(other),
  };
  /* Marks hold no character: of a line, they say whether a rule may go on at a place. */
  const MARKS = {
    begin: (line) => (at) => at === 0 || !wordly(line.charCodeAt(at - 1)),
    over: (line) => (at) => at === line.length || !wordly(line.charCodeAt(at)),
    last: (line) => {
      let end = line.length;
      while (end && " \t.,;:".includes(line[end - 1])) end--;
      return (at) => at >= end;
    },
  };
  const STATES = 5;

  /* A literal with the table of Knuth, Morris and Pratt: how much of its start still holds after a mismatch. */
  const literal = (text) => {
    const codes = Uint16Array.from(text, (c) => c.charCodeAt(0));
    const back = new Uint16Array(codes.length);
    for (let i = 1, k = 0; i < codes.length; i++) {
      while (k && codes[i] !== codes[k]) k = back[k - 1];
      if (codes[i] === codes[k]) k++;
      back[i] = k;
    }
    return { codes, back };
  };

  /* Parts as they come in a row (texts, and numbers of gaps) made ready. */
  const prepare = (parts, names) =>
    parts.map((part) => {
      if (typeof part === "string") return literal(part);
      const name = names[part];
      if (GAPS[name]) return { gap: GAPS[name] };
      if (MARKS[name]) return { mark: MARKS[name] };
      throw new Error(`unknown gap ${name}`);
    });

  /* Two rows of places: for each place of a line that the parts so far can reach, where their match began, else -1. */
  let reached = new Int16Array(LONGEST_LINE + 1);
  let next = new Int16Array(LONGEST_LINE + 1);
  const earliest = (one, two) => (one < 0 || (two >= 0 && two < one) ? two : one);

  const overLiteral = ({ codes, back }, line, first) => {
    const size = codes.length;
    for (let i = 0, k = 0; i < line.length; i++) {
      const c = line.charCodeAt(i);
      if (k === size) k = back[k - 1];
      while (k && c !== codes[k]) k = back[k - 1];
      if (c === codes[k]) k++;
      if (k === size) next[i + 1] = first ? i + 1 - k : reached[i + 1 - k];
    }
  };
  const overMark = (allows, size) => {
    for (let i = 0; i < size; i++) if (reached[i] >= 0 && allows(i)) next[i] = reached[i];
  };
  const alive = new Int16Array(STATES);
  const then = new Int16Array(STATES);
  const overGap = ({ ends, ways }, line) => {
    alive.fill(-1);
    for (let i = 0; ; i++) {
      alive[0] = earliest(alive[0], reached[i]);
      for (const end of ends) next[i] = earliest(next[i], alive[end]);
      if (i === line.length) return;
      const c = line.charCodeAt(i);
      then.fill(-1);
      for (const [from, of, to] of ways) if (alive[from] >= 0 && of(c)) then[to] = earliest(then[to], alive[from]);
      alive.set(then);
    }
  };

  /* Where in `line` the leftmost match of the parts begins, -1 when there is none. Takes as many steps as the line has
     characters, once for each part. */
  const begin = (parts, line, work) => {
    const size = line.length + 1;
    let first = true;
    for (const part of parts) {
      work.steps += size;
      next.fill(-1, 0, size);
      if (part.codes) overLiteral(part, line, first);
      else {
        if (first) for (let i = 0; i < size; i++) reached[i] = i;
        if (part.gap) overGap(part.gap, line);
        else overMark(part.mark(line), size);
      }
      [reached, next] = [next, reached];
      first = false;
      let i = 0;
      while (i < size && reached[i] < 0) i++;
      if (i === size) return -1;
    }
    let found = -1;
    for (let i = 0; i < size; i++) found = earliest(found, reached[i]);
    return found;
  };

  /* The words of a log, as hashes (kb/runbook/data/scripts.py says how), and a quick look whether some rule hangs on one. */
  const FIRST = 0x811c9dc5;
  const step = (hash, c) => Math.imul(hash ^ c, 0x01000193);
  const mixed = (hash) => {
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  };
  const WORD = new Uint8Array(128);
  for (let c = 0; c < 128; c++) WORD[c] = wordly(c) ? 1 : 0;

  /* The keys of all rules: numbers packed as kb/runbook/data/scripts.py packs them. */
  const unpack = ([count, low, text], bits) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    let at = 0;
    const bit = () => (bytes[at >> 3] >> (7 - (at++ & 7))) & 1;
    const keys = new Set();
    const some = new Uint8Array(1 << Math.min(bits, 22)); // by the first bits: most words are none of the keys
    const shift = Math.max(0, bits - 22);
    for (let i = 0, value = 0; i < count; i++) {
      let high = 0;
      while (bit()) high++;
      let rest = 0;
      for (let b = 0; b < low; b++) rest = rest * 2 + bit();
      value += high * 2 ** low + rest;
      keys.add(value);
      some[Math.floor(value / 2 ** shift)] = 1;
    }
    const drop = 32 - bits;
    return { drop, holds: (hash) => some[hash >>> (drop + shift)] === 1 && keys.has(hash >>> drop) };
  };

  /* Tell `found` about each key, a word or two next to each other, that the line holds. */
  const eachKey = (line, keys, found) => {
    let word = FIRST; // this word
    let pair = 0; // the word before and this one
    let length = 0;
    let before = false;
    for (let i = 0; i <= line.length; i++) {
      const c = i < line.length ? line.charCodeAt(i) : 0;
      if (c < 128 && WORD[c]) {
        word = step(word, c);
        pair = step(pair, c);
        length++;
      } else if (length) {
        const own = mixed(word);
        if (length > 2 && keys.holds(own)) found(own >>> keys.drop);
        if (before) {
          const both = mixed(pair);
          if (keys.holds(both)) found(both >>> keys.drop);
        }
        before = true;
        pair = step(word, 32);
        word = FIRST;
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

  const HUNK = /^@@ -\d{1,9}(?:,(\d{1,9}))? \+\d{1,9}(?:,(\d{1,9}))? @@/;
  /* Says of one line after the other whether it is a line of a patch: what a change adds did not happen here. */
  const patches = () => {
    let before = 0;
    let after = 0;
    return (line) => {
      const hunk = line.startsWith("@@") && HUNK.exec(line);
      if (hunk) {
        [before, after] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
        return true;
      }
      if (before <= 0 && after <= 0) return false;
      const mark = line.slice(0, 1);
      if (!" +-\\".includes(mark)) { before = after = 0; return false; }
      if (mark === "" || mark === " " || mark === "-") before--;
      if (mark === "" || mark === " " || mark === "+") after--;
      return true;
    };
  };

  /* The clean lines with their raw numbers; a record that holds escaped line feeds gives several. */
  const read = async (text, breathe) => {
    const lines = [];
    const numbers = [];
    const patched = patches();
    let number = 0;
    for (let start = 0; start < text.length; ) {
      let end = text.indexOf("\n", start);
      if (end < 0) end = text.length;
      number++;
      for (const line of cleanParts(text.slice(start, Math.min(end, start + 4 * LONGEST_LINE)))) {
        const parts = [patched(line) ? "" : line];
        if (line.includes("\\n")) parts.push(...parts[0].replace(/\\(["'])/g, "$1").split(/(?:\\r)?\\n/));
        for (const part of parts) {
          lines.push(part.slice(0, LONGEST_LINE));
          numbers.push(number);
        }
      }
      start = end + 1;
      if (number % 500 === 0) await breathe();
    }
    return { lines, numbers, total: number };
  };

  /* Says whether all that must stand near a place of the log does. Each line is looked at once. */
  const vicinity = (wanted, log, names, work) => {
    const near = wanted.map(([before, after, parts]) => ({ before, after, parts: prepare(parts, names), known: new Map() }));
    const stands = ({ parts, known }, place) => {
      if (place < 0 || place >= log.lines.length) return false;
      if (!known.has(place)) known.set(place, begin(parts, log.lines[place], work) >= 0);
      return known.get(place);
    };
    const around = (one, place) => {
      if (stands(one, place)) return true;
      for (let away = 1; away <= Math.max(one.before, one.after) && work.steps <= MOST_STEPS; away++) {
        if (away <= one.before && stands(one, place - away)) return true;
        if (away <= one.after && stands(one, place + away)) return true;
      }
      return false;
    };
    return (place) => near.every((one) => around(one, place));
  };

  /* What one rule finds in the lines at `places`, or null. */
  const tryRule = async (row, places, log, index, work, breathe) => {
    const [, url, title, role, given, wanted, fix, helped, tries, sessions, last, ended, better, under, rank] = row;
    const parts = prepare(given, index.gaps);
    const near = vicinity(wanted, log, index.gaps, work);
    const where = [];
    for (const place of places) {
      if (work.steps > MOST_STEPS) break;
      const line = log.lines[place];
      await breathe();
      const at = begin(parts, line, work);
      if (at < 0 || (at && "`“‘'".includes(line[at - 1]))) continue; // what a line only quotes did not happen
      if (near(place)) where.push(place);
    }
    if (!where.length) return null;
    const surely = vicinity(better, log, index.gaps, work);
    const sure = where.some(surely); // without anything better, this is as sure as it gets
    const weight = given.reduce((sum, part) => sum + (part.length ?? 1), 0);
    return { url, title, role, fix, helped, tries, sessions, last, ended, weight, sure, under, rank, where };
  };

  /* By role; those last beside which attempts ended in another one that was found; then failures in which an attempt
     ended once before those that only stood beside others; then by line, and on one line the surest, the one that says
     more. */
  const ordered = (found) => {
    const byUrl = new Map(found.map((one) => [one.url, one]));
    for (const one of found) {
      one.beside = one.under.some((url) => byUrl.get(url)?.role === "root" && !byUrl.get(url).under.includes(one.url));
    }
    return found.sort((a, b) =>
      ROLES.indexOf(a.role) - ROLES.indexOf(b.role) || a.beside - b.beside || b.ended - a.ended ||
      a.line - b.line || b.sure - a.sure || b.weight - a.weight);
  };

  /* Where only frames tell one signature from another, a line is the one that says most of them. */
  const decided = (findings) => {
    const highest = new Map();
    for (const { rank, where } of findings) {
      for (const place of rank ? where : []) highest.set(place, Math.max(rank, highest.get(place) ?? 0));
    }
    for (const one of findings) if (one.rank) one.where = one.where.filter((place) => highest.get(place) === one.rank);
    return findings.filter((one) => one.where.length);
  };

  /* What several rules found of one signature, as one. */
  const together = (findings, log) => {
    const byUrl = new Map();
    for (const one of findings) {
      const known = byUrl.get(one.url);
      if (known) {
        known.where = [...new Set([...known.where, ...one.where])];
        known.weight = Math.max(known.weight, one.weight);
        known.sure ||= one.sure;
      } else byUrl.set(one.url, one);
    }
    return [...byUrl.values()].map(({ where, rank, ...one }) => {
      const first = where.reduce((low, place) => Math.min(low, place));
      return { ...one, count: new Set(where.map((place) => log.numbers[place])).size, line: log.numbers[first], text: log.lines[first] };
    });
  };

  /* All known signatures in `text`, the likely cause first. `load` gives a data file by name, `pause` lets others run
     (leave it out in a worker). Out: the number of lines, the findings, the steps that the rules took, and whether that
     was all (a log made to be slow to search is searched in part). */
  const find = async (text, load, pause) => {
    const breathe = breather(pause);
    const index = await load("rules");
    const keys = (index.unpacked ??= unpack(index.keys, index.bits));
    const log = await read(text, breathe);
    const places = new Map();
    for (let i = 0; i < log.lines.length; i++) {
      eachKey(log.lines[i], keys, (key) => {
        const list = places.get(key);
        if (!list) places.set(key, [i]);
        else if (list[list.length - 1] !== i) list.push(i);
      });
      if (i % 500 === 0) await breathe();
    }
    const shards = [...new Set([...places.keys()].map((key) => key % index.shards))];
    const files = await Promise.all(["any", ...shards].map((name) => load(`rules/${name}`)));
    const every = log.lines.map((_, place) => place);
    const work = { steps: 0 };
    const found = [];
    for (const row of files.flat()) {
      const where = row[0] ? places.get(row[0]) : every;
      const finding = where && (await tryRule(row, where, log, index, work, breathe));
      if (finding) found.push(finding);
    }
    return {
      lines: log.total,
      found: ordered(together(decided(found), log)),
      steps: work.steps,
      complete: work.steps <= MOST_STEPS,
    };
  };

  globalThis.kbMatcher = { find, clean, matches: (parts, names, line, work = { steps: 0 }) => begin(prepare(parts, names), line, work) };
})();
