/* The postings of the search data: which blocks hold a gram. Reads what kb/runbook/data/search writes. */
"use strict";
(() => {
  const ALPHABET = Array.from({ length: 0x7f - 0x23 }, (_, i) => String.fromCharCode(0x23 + i)).filter((c) => !'"\\<>&'.includes(c));
  const BASE = ALPHABET.length >> 1;
  const DIGIT = new Int16Array(128);
  ALPHABET.forEach((c, i) => { DIGIT[c.charCodeAt(0)] = i; });

  /* The numbers of a packed text, in order. */
  const unpack = (text) => {
    const numbers = [];
    let number = -1;
    let rest = 0;
    let scale = 1;
    for (let i = 0; i < text.length; i++) {
      const digit = DIGIT[text.charCodeAt(i)];
      rest += (digit % BASE) * scale;
      if (digit >= BASE) {
        scale *= BASE;
        continue;
      }
      number += rest + 1;
      numbers.push(number);
      rest = 0;
      scale = 1;
    }
    return numbers;
  };

  const shardOf = (gram, shards) => {
    let hash = 0x811c9dc5;
    for (const c of gram) hash = Math.imul(hash ^ c.codePointAt(0), 0x01000193);
    return ((hash ^ (hash >>> 15)) >>> 0) % shards;
  };

  /* The index behind the list of the search; `load` gives a data file by name. */
  const open = (list, load) => {
    const levels = new Map();
    list.common.forEach((text, level) => {
      const points = Array.from(text);
      for (let i = 0; i < points.length; i += 3) levels.set(points[i] + points[i + 1] + points[i + 2], level);
    });
    const rarest = list.common.length;
    const known = new Map();

    /* Load the postings of these grams. */
    const fetch = async (grams) => {
      const missing = [...grams].filter((gram) => !known.has(gram));
      await Promise.all(missing.map(async (gram) => {
        const shard = await load(`search/g${shardOf(gram, list.shards)}`);
        known.set(gram, unpack(Object.hasOwn(shard, gram) ? shard[gram] : ""));
      }));
    };

    return {
      blocks: list.blocks,
      documents: list.documents,
      /* How rare a gram is, from 0 for one that every other block holds. */
      rare: (gram) => levels.get(gram) ?? rarest,
      /* How rare a word is by its rarest gram, from 1. */
      rarity: (word) => 1 + kbText.grams(word).reduce((most, gram) => Math.max(most, levels.get(gram) ?? rarest), 0),
      shard: (gram) => shardOf(gram, list.shards),
      fetch,
      postings: (gram) => known.get(gram),
    };
  };

  globalThis.kbIndex = { open, unpack, shardOf };
})();
