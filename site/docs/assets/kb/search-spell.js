/* Words with a slip of the finger: a word that nothing holds is read as the nearest one that something does hold.
   One slip in a word of five letters or more, two in a long one; a slip is a letter too many, missing, wrong or swapped. */
"use strict";
(() => {
  const SHORTEST = 5;
  const LONG = 9; // letters of a word that may hold two slips
  const GRAMS = 8; // of a word, looked up: its rarest, of which a slip takes three
  const BLOCKS = 5; // looked through for words like it
  const IN_TITLE = 1.25; // how much more a gram counts where a title holds it: names are mostly asked for as titles say them
  const WORDS = 2; // of a query that may be read otherwise

  const slips = (word) => (word.length >= LONG ? 2 : 1);

  /* How many slips lie between two words, as optimal string alignment counts them; more than `most` is any number above. */
  const distance = (a, b, most) => {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let before = [];
    let last = Array.from({ length: b.length + 1 }, (_, j) => j);
    for (let i = 1; i <= a.length; i++) {
      const now = [i];
      for (let j = 1; j <= b.length; j++) {
        const same = a[i - 1] === b[j - 1] ? 0 : 1;
        now[j] = Math.min(last[j] + 1, now[j - 1] + 1, last[j - 1] + same);
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) now[j] = Math.min(now[j], before[j - 2] + 1);
      }
      if (Math.min(...now) > most) return most + 1;
      before = last;
      last = now;
    }
    return last[b.length];
  };

  /* The words of a text, and the runs of parts that a long name of parts is made of. */
  const names = (low) => {
    const found = new Set();
    for (const word of low.split(/[^\p{L}\p{N}_]+/u)) {
      if (word.length >= SHORTEST - 2) found.add(word);
      const parts = word.split("_");
      if (parts.length < 3 || parts.length > 10) continue;
      for (let i = 0; i < parts.length; i++)
        for (let j = i + 1; j <= parts.length; j++) found.add(parts.slice(i, j).join("_"));
    }
    return found;
  };

  const nearest = (word, rows) => {
    const most = slips(word);
    let best = "";
    let least = most + 1;
    for (const row of rows)
      for (const name of names(row.low)) {
        const far = Math.abs(name.length - word.length) > most ? least : distance(word, name, most);
        if (far < least) [best, least] = [name, far];
      }
    return best;
  };

  /* The words of a query that no row holds, as far as they may be read otherwise. */
  const unheld = (words, rows) =>
    words.filter((word) => word.length >= SHORTEST && /\p{L}/u.test(word) && !rows.some((row) => row.low.includes(word))).slice(0, WORDS);

  /* Read the words of a query that no row holds as others of these rows: [word, other] pairs. */
  const seen = (words, rows) => unheld(words, rows).map((word) => [word, nearest(word, rows)]).filter(([, other]) => other);

  /* Read the words of a query that no row holds as others: [word, other] pairs. `rows` are those loaded so far, `rowsOf`
     gives those of a block. */
  const respell = async (index, words, rows, rowsOf) => {
    const read = [];
    for (const word of unheld(words, rows)) {
      const some = [...new Set(kbText.grams(word))].sort((one, other) => index.rare(other) - index.rare(one)).slice(0, GRAMS);
      await index.fetch(some);
      const counts = new Map();
      const weights = new Map();
      for (const gram of some)
        for (const posting of index.postings(gram)) {
          const block = posting >> 1;
          counts.set(block, (counts.get(block) || 0) + 1);
          weights.set(block, (weights.get(block) || 0) + (1 + index.rare(gram)) * (posting & 1 ? IN_TITLE : 1));
        }
      const enough = Math.max(1, some.length - 3 * slips(word));
      const blocks = [...weights].filter(([block]) => counts.get(block) >= enough).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, BLOCKS);
      const loaded = await Promise.all(blocks.map(([number]) => rowsOf(number)));
      const other = nearest(word, loaded.flat());
      if (other) read.push([word, other]);
    }
    return read;
  };

  globalThis.kbSpell = { respell, seen, distance };
})();
