/* The search: any text is looked for as it stands. The rarest grams of a query say which blocks may hold it; the best
   of those are loaded and judged, the others follow. Only the data files that a query needs are ever loaded. */
"use strict";
(() => {
  const { grams, read } = kbText;
  // What a first answer is made of, under 60 KB in all: a shard has 2 KB on average, and at most 5; a block has 1.3, at most 3.
  const SHARDS = [3, 3]; // loaded before blocks are chosen; the second number where the first leaves too many of those
  const FIRST_BLOCKS = 4;
  const BLOCKS = 8; // in each turn after that
  const NARROWER = 4; // shards loaded to leave out blocks, where the first blocks did not hold all
  const MOST_BLOCKS = 60;
  const MOST_SPELLED = 6; // words of a query that may hold slips: who typed more has pasted them
  // Of what the best block may hold: blocks that may hold less are left alone; the second number where none of those holds
  // all words, since the rarest words of a pasted line may be values that no page has.
  const NEAR = [0.6, 0.3];

  const indexes = new WeakMap();
  const blocks = new WeakMap();

  const open = async (load) => {
    if (!indexes.has(load)) indexes.set(load, load("search").then((list) => kbIndex.open(list, load)));
    try {
      return await indexes.get(load);
    } catch (error) {
      indexes.delete(load);
      throw error;
    }
  };

  const rowsOf = async (load, number) => {
    const block = await load(`search/b${number}`);
    if (!blocks.has(block)) blocks.set(block, block.map(read));
    return blocks.get(block);
  };

  const isBrief = (word) => word.length < 3 && word < kbText.WIDE;

  /* Grams of `text` by how rare they are; of equal ones those far from each other first. */
  const rarest = (index, text) => {
    const all = grams(text).map((gram, place) => ({ gram, place, rare: index.rare(gram) }));
    const spread = (place) => (place * 7919) % 101;
    return all.sort((a, b) => b.rare - a.rare || spread(a.place) - spread(b.place)).map(({ gram }) => gram);
  };

  /* Choose grams in turn from `parts` (each a list, the best first) until their shards are `most`. */
  const choose = (index, parts, most, chosen) => {
    const shards = new Set([...chosen].map(index.shard));
    const enough = shards.size + most;
    for (let round = 0; round < 3; round++)
      for (const part of parts) {
        const gram = part.find((one) => !chosen.has(one));
        if (gram === undefined) continue;
        if (!shards.has(index.shard(gram)) && shards.size >= enough) continue;
        shards.add(index.shard(gram));
        chosen.add(gram);
      }
    return chosen;
  };

  /* What each block may hold of the query, by the grams loaded so far: `found` are [block, weight], the most first; a block
     that may hold all words weighs `every` or more. */
  const weighed = (index, asked, parts, chosen) => {
    const weights = new Float64Array(index.blocks);
    const add = (list, weight) => {
      const used = list.filter((gram) => chosen.has(gram));
      if (!used.length) return;
      const counts = new Uint16Array(index.blocks);
      const titles = new Uint16Array(index.blocks);
      for (const gram of used)
        for (const posting of index.postings(gram)) {
          counts[posting >> 1]++;
          if (posting & 1) titles[posting >> 1]++;
        }
      for (let i = 0; i < counts.length; i++)
        if (counts[i] === used.length) weights[i] += weight * (titles[i] === used.length ? 1.25 : 1);
    };
    asked.words.forEach(({ weight }, i) => add(parts.words[i], weight));
    add(parts.whole, asked.total / 2 || 1);
    const found = [...weights.entries()].filter(([, weight]) => weight > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]);
    return { found, every: asked.words.reduce((sum, { weight }, i) => sum + (parts.words[i].some((gram) => chosen.has(gram)) ? weight : 0), 0) };
  };

  /* Words that hold a gram which nothing holds say nothing about where to look: addresses, numbers and paths of a pasted
     line are the rarest of it. Out: whether there are any. */
  const forget = (index, asked, parts, chosen) => {
    const unheld = (list) => list.some((gram) => chosen.has(gram) && !index.postings(gram).length);
    let any = false;
    if (unheld(parts.whole)) parts.whole.length = 0;
    asked.words.forEach((_, i) => {
      if (!unheld(parts.words[i])) return;
      parts.words[i].length = 0;
      any = true;
    });
    return any;
  };

  /* Which blocks may hold the query: `list` gives them, the best first; `more` looks up so many more shards, to leave out
     some. */
  const candidates = async (index, asked) => {
    const brief = asked.words.every(({ word }) => isBrief(word)); // else such words tell nothing: they stand behind any sign
    const parts = {
      whole: asked.whole ? rarest(index, asked.whole) : [],
      words: asked.words.map(({ word }) => (brief || !isBrief(word) ? rarest(index, word) : [])),
    };
    const heavy = asked.words.map((one, i) => [one.weight, parts.words[i]]).sort((a, b) => b[0] - a[0]).map(([, list]) => list);
    const turns = asked.words.length > 1 ? [parts.whole, ...heavy] : heavy.length && heavy[0].length ? heavy : [parts.whole];
    const chosen = new Set();
    let found = [];
    let every = 0;
    let unheld = false;
    const more = async (most) => {
      const before = chosen.size;
      choose(index, turns, most, chosen);
      if (chosen.size === before) return false;
      await index.fetch(chosen);
      unheld = forget(index, asked, parts, chosen);
      ({ found, every } = weighed(index, asked, parts, chosen));
      return true;
    };
    const best = () => found.filter(([, weight]) => weight >= 0.9 * found[0][1]);
    for (const most of asked.words.length > 1 ? SHARDS : [...SHARDS, NARROWER]) if (!(await more(most)) || (!unheld && best().length <= BLOCKS)) break;
    const list = (near) => found.filter(([, weight]) => weight >= Math.min(near * found[0][1], 0.999 * every)).map(([block]) => block);
    return { list, more };
  };

  /* Load the blocks in turn and judge their rows, until `told` wants no more; out: an answer, see `find`. */
  const searched = async (index, load, asked, told) => {
    const answer = (rows, more) => ({ hits: kbRank.ranked(rows, asked), asked, more, read: [], rows });
    const rows = [];
    if (!asked.words.length) return answer(rows, false);
    const { list, more } = await candidates(index, asked);
    const seen = new Set();
    const left = (near) => list(near).filter((number) => !seen.has(number));
    let narrow = false;
    for (let most = FIRST_BLOCKS, near = 0; seen.size < MOST_BLOCKS; ) {
      const some = left(NEAR[near]).slice(0, Math.min(most, MOST_BLOCKS - seen.size));
      some.forEach((number) => seen.add(number));
      rows.push(...(await Promise.all(some.map((number) => rowsOf(load, number)))).flat());
      const now = answer(rows, true);
      if (now.hits.length) most = BLOCKS; // until then each costs a first answer
      const good = now.hits[0]?.tier >= kbRank.TIER.words;
      if (!left(NEAR[near]).length && (good || ++near === NEAR.length || !left(NEAR[near]).length)) break;
      if (!(await told(now))) return now;
      if (!narrow && !good && left(NEAR[near]).length + some.length > BLOCKS) narrow = await more(NARROWER);
    }
    return answer(rows, seen.size >= MOST_BLOCKS);
  };

  /* Search for `text`. `load` gives a data file by name; `told` is given each answer that is not the last, and says, once
     that has been shown, whether the search shall go on.
     An answer: hits, the best first, what was asked, whether `more` documents may hold it than were looked at, `read`,
     the words that were read as others, as [word, other], and whether it is `exact`: all of it, but for such words. */
  const find = async (text, load, told = () => true) => {
    const index = await open(load);
    const asked = kbRank.ask(text, index.rarity);
    const words = asked.words.map(({ word }) => word);
    const few = words.length <= MOST_SPELLED;
    let guessed = false;
    const first = await searched(index, load, asked, async (now) => {
      if (now.hits.length || !few) return told(now);
      if (guessed) return true;
      if (!(await told(now))) return false;
      // What is mistyped may stand in many blocks bit by bit: a name like it is an answer to go on from.
      const seen = reading(index, text, kbSpell.seen(words, now.rows), now.rows);
      const guess = seen.hits.length ? seen : await respelled(index, load, text, words, now.rows);
      guessed = guess.hits.length > 0;
      return guessed ? told(guess) : true;
    });
    if (!few || first.hits.some((hit) => hit.tier >= kbRank.TIER.words)) return first;
    if (!guessed && !(await told({ ...first, exact: true }))) return first;
    const better = ({ hits }) => hits.length && (!first.hits.length || hits[0].tier > first.hits[0].tier);
    const guess = await respelled(index, load, text, words, first.rows);
    if (!guess.read.length || (better(guess) && !(await told(guess)))) return better(guess) ? guess : first;
    const { read } = guess;
    const second = await searched(index, load, guess.asked, (now) => (better(now) ? told({ ...now, read, more: true }) : true));
    if (better(second)) return { ...second, read };
    return better(guess) ? guess : first;
  };

  /* What rows that are loaded hold when words are read as others: `read` are [word, other]. */
  const reading = (index, text, read, rows) => {
    if (!read.length) return { hits: [], read };
    const asked = kbRank.ask(read.reduce((whole, [word, other]) => whole.replaceAll(word, other), kbText.normal(text)), index.rarity);
    return { hits: kbRank.ranked([...new Set(rows)], asked), asked, more: true, read, rows };
  };

  /* The same for the nearest words that anything holds; `rows` are those that were looked at. */
  const respelled = async (index, load, text, words, rows) => {
    const near = [...rows];
    const read = await kbSpell.respell(index, words, rows, async (number) => {
      const some = await rowsOf(load, number);
      near.push(...some);
      return some;
    });
    return reading(index, text, read, near);
  };

  globalThis.kbSearch = { find, open, rowsOf };
})();
