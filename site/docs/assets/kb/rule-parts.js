/* Whether a rule matches a line, without regular expressions: in time linear in the line, and all steps are counted.
   A rule is made of parts: literals, gaps, and marks that hold no character. Pure. */
"use strict";
(() => {
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
    "large-number": {
      ends: [1],
      ways: [[0, digit, 1], [1, (c) => digit(c) || is(44, 69, 101, 46, 43, 45)(c), 1]],
    },
    numbers: many((c) => digit(c) || c === 44 || c === 32 || c === 45),
    size: {
      ends: [4],
      ways: [[0, digit, 1], [1, digit, 1], [1, is(46), 2], [2, digit, 2], [1, is(32), 3], [2, is(32), 3], [1, letter, 4], [2, letter, 4], [3, letter, 4], [4, letter, 4]],
    },
    "large-size": {
      ends: [3],
      ways: [[0, digit, 1], [1, (c) => digit(c) || is(44, 46)(c), 1], [1, is(32), 2], [1, letter, 3], [2, letter, 3], [3, letter, 3]],
    },
    hex: { ends: [3], ways: [[0, is(48), 1], [1, is(120), 2], [2, hex, 3], [3, hex, 3]] },
    "hex-dashes": many((c) => hex(c) || c === 45),
    word: many(not(32)),
    quoted: many((c) => c !== 39 && c !== 34),
    "quoted-path": manyOrNone((c) => c !== 39 && c !== 34),
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

  const PROBE = 32; // characters of a literal that are looked for at first: so few that no line makes that slow

  const literal = (text) => ({ text, probe: text.slice(0, PROBE), back: null });

  /* The table of Knuth, Morris and Pratt: how much of the start of a text still holds after a mismatch. */
  const table = (text) => {
    const back = new Uint16Array(text.length);
    for (let i = 1, k = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      while (k && c !== text.charCodeAt(k)) k = back[k - 1];
      if (c === text.charCodeAt(k)) k++;
      back[i] = k;
    }
    return back;
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

  /* Whether all of them can be made ready: a page that a browser kept may be older than its data. */
  const known = (parts, names) => parts.every((part) => typeof part === "string" || GAPS[names[part]] || MARKS[names[part]]);

  /* Two rows of places: for each place of a line that the parts so far can reach, where their match began, else -1. */
  let reached = new Int16Array(kbLog.LONGEST_LINE + 1);
  let next = new Int16Array(kbLog.LONGEST_LINE + 1);
  const earliest = (one, two) => (one < 0 || (two >= 0 && two < one) ? two : one);

  const overLiteral = (part, line, low, first) => {
    const { text } = part;
    const back = (part.back ??= table(text));
    const size = text.length;
    for (let i = low, k = 0; i < line.length; i++) {
      const c = line.charCodeAt(i);
      if (k === size) k = back[k - 1];
      while (k && c !== text.charCodeAt(k)) k = back[k - 1];
      if (c === text.charCodeAt(k)) k++;
      if (k === size) next[i + 1] = first ? i + 1 - k : reached[i + 1 - k];
    }
  };
  const overMark = (allows, low, size) => {
    for (let i = low; i < size; i++) if (reached[i] >= 0 && allows(i)) next[i] = reached[i];
  };
  const alive = new Int16Array(STATES);
  const then = new Int16Array(STATES);
  const overGap = ({ ends, ways }, line, low) => {
    alive.fill(-1);
    for (let i = low; ; i++) {
      alive[0] = earliest(alive[0], reached[i]);
      for (const end of ends) next[i] = earliest(next[i], alive[end]);
      if (i === line.length) return;
      const c = line.charCodeAt(i);
      then.fill(-1);
      for (const [from, of, to] of ways) if (alive[from] >= 0 && of(c)) then[to] = earliest(then[to], alive[from]);
      alive.set(then);
    }
  };

  /* Where the first literal begins at the earliest, -1 where the line does not hold the begins of all, one behind the
     other. The browser's own search is many times faster than all that follows, and most lines end here. */
  const early = (parts, line) => {
    let first = -1;
    let from = 0;
    for (const { text, probe } of parts) {
      if (text === undefined) continue;
      const at = line.indexOf(probe, from);
      if (at < 0) return -1;
      if (first < 0) first = at;
      from = at + text.length;
    }
    return Math.max(first, 0);
  };

  /* Where in `line` the leftmost match of the parts begins, -1 when there is none. Takes as many steps as the line has
     characters, once for each part and once before. */
  const begin = (parts, line, work) => {
    const size = line.length + 1;
    work.steps += size;
    const start = early(parts, line);
    const [{ text, probe }] = parts;
    if (start < 0 || (parts.length === 1 && probe !== undefined && probe === text)) return start;
    const low = parts.find(({ mark }) => !mark)?.gap ? 0 : start; // marks hold no character
    let first = true;
    for (const part of parts) {
      work.steps += size - low;
      next.fill(-1, low, size);
      if (part.probe !== undefined) overLiteral(part, line, low, first);
      else {
        if (first) for (let i = low; i < size; i++) reached[i] = i;
        if (part.gap) overGap(part.gap, line, low);
        else overMark(part.mark(line), low, size);
      }
      [reached, next] = [next, reached];
      first = false;
      let i = low;
      while (i < size && reached[i] < 0) i++;
      if (i === size) return -1;
    }
    let found = -1;
    for (let i = low; i < size; i++) found = earliest(found, reached[i]);
    return found;
  };

  globalThis.kbParts = { known, prepare, begin };
})();
