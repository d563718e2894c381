/* The words of a log as hashes, and which of them rules hang on. Pure. */
"use strict";
(() => {
  /* The words of a log, as hashes (kb/runbook/data/scripts.py says how), and a quick look whether some rule hangs on one. */
  const FIRST = 0x811c9dc5;
  const LINE_END = 10;
  const step = (hash, c) => Math.imul(hash ^ c, 0x01000193);
  const mixed = (hash) => {
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return (hash ^ (hash >>> 16)) >>> 0;
  };
  const WORD = new Uint8Array(256); // by byte: what is not ASCII ends a word
  for (let c = 0; c < 128; c++) WORD[c] = /\w/.test(String.fromCharCode(c)) ? 1 : 0;

  /* The keys of all rules: numbers packed as kb/runbook/data/scripts.py packs them. */
  const unpack = ([count, low, text], bits) => {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    let at = 0;
    const bit = () => (bytes[at >> 3] >> (7 - (at++ & 7))) & 1;
    const keys = new Set();
    const some = new Uint32Array(1 << Math.min(bits - 5, 17)); // a bit for the first bits: most words are none of the keys
    const shift = Math.max(0, bits - 22);
    for (let i = 0, value = 0; i < count; i++) {
      let high = 0;
      while (bit()) high++;
      let rest = 0;
      for (let b = 0; b < low; b++) rest = rest * 2 + bit();
      value += high * 2 ** low + rest;
      keys.add(value);
      const first = Math.floor(value / 2 ** shift);
      some[first >>> 5] |= 1 << (first & 31);
    }
    const drop = 32 - bits;
    const holds = (hash) => {
      const first = hash >>> (drop + shift);
      return ((some[first >>> 5] >>> (first & 31)) & 1) === 1 && keys.has(hash >>> drop);
    };
    return { drop, holds };
  };

  const encoder = new TextEncoder();
  let bytes = new Uint8Array(1 << 16);

  /* Tell `found` about each key, a word or two next to each other, that these lines hold, and on which of them. */
  const eachKey = (lines, keys, found) => {
    const text = lines.join("\n");
    if (bytes.length < 3 * text.length + 1) bytes = new Uint8Array(6 * text.length);
    const size = encoder.encodeInto(text, bytes).written;
    bytes[size] = LINE_END;
    let word = FIRST; // this word
    let pair = 0; // the word before and this one
    let length = 0;
    let before = false;
    let line = 0;
    for (let i = 0; i <= size; i++) {
      const c = bytes[i];
      if (WORD[c]) {
        word = step(word, c);
        pair = step(pair, c);
        length++;
        continue;
      }
      if (length) {
        const own = mixed(word);
        if (length > 2 && keys.holds(own)) found(own >>> keys.drop, line);
        if (before) {
          const both = mixed(pair);
          if (keys.holds(both)) found(both >>> keys.drop, line);
        }
        before = true;
        pair = step(word, 32);
        word = FIRST;
        length = 0;
      }
      if (c === LINE_END) {
        before = false;
        line++;
      }
    }
  };

  globalThis.kbWords = { unpack, eachKey };
})();
