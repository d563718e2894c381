/* Which of two documents answers a query better, as `kb search` would have it: by its name, the whole text in the title,
   all words in the title, the whole text, all words, most words; then what holds
   more of the line as it stands, then the better proven, then the newer. Pure. */
"use strict";
(() => {
  const { normal, words, standing, QUALITY } = kbText;

  const TIER = { some: 0, most: 1, words: 2, text: 3, titleWords: 4, title: 5, name: 6 };
  const KINDS = ["signature", "fix", "component", "session", "tag", "page"];
  const MOST = 0.6; // a part of the query that is most of it
  const SOME = 0.3;
  const IN_TITLE = 1.6; // how much more a word counts in a title
  const VALUE = /^(?:0x[0-9a-f]{5,}|[0-9a-f]*\d[0-9a-f]{7,}|\d+[-:]\d+[-:][\d.:,tz+-]+)$/; // an address, a hash, a time
  const VALUED = 0.2; // how much less than another word such a value tells, which is drawn anew in each run
  const LINE = 3; // words of what may be a line
  const WHOLE = 200; // characters: a longer text is not looked for as a whole

  /* A query as it is judged: the whole, and its words with their weights. `rarity` tells of a word how rare it is. */
  const ask = (raw, rarity) => {
    const whole = normal(raw);
    const each = words(raw).map((word) => ({ word, weight: Math.sqrt(word.length) * rarity(word) * (VALUE.test(word) ? VALUED : 1) }));
    const total = each.reduce((sum, { weight }) => sum + weight, 0);
    return { whole: whole.length <= WHOLE ? whole : "", words: each, total };
  };

  /* A place on a page has none: nobody asks for it, and it is not in the index. */
  const name = (row) => (row.url.includes("#") ? "" : (row.url.split("/").filter(Boolean).at(-1) ?? ""));

  const tier = (row, whole, all, inTitle, share) => {
    const bare = whole && whole.text + whole.title > 0;
    if (bare && whole.title > QUALITY.inside) return TIER.title;
    if (inTitle) return TIER.titleWords;
    if (bare && whole.text > QUALITY.inside) return TIER.text;
    if (all || bare) return TIER.words;
    return share >= MOST ? TIER.most : TIER.some;
  };

  /* How well a row answers; null when it does not. `inside` allows short words inside others, `total` is the weight of
     what is counted: all words, or those that any row holds. */
  const judge = (row, asked, inside, total = asked.total) => {
    if (asked.whole && (name(row) === asked.whole || row.low.slice(1, row.titleEnd) === asked.whole))
      return { row, tier: TIER.name, share: 1, value: QUALITY.whole };
    let held = 0;
    let value = 0;
    let missing = 0;
    let inTitle = asked.words.length > 0;
    for (const { word, weight } of asked.words) {
      const found = standing(row, word, inside);
      const best = Math.max(found.title * IN_TITLE, found.text);
      if (best) held += weight;
      else missing++;
      if (found.title <= QUALITY.inside) inTitle = false;
      value += weight * best;
    }
    const whole = asked.whole ? standing(row, asked.whole, inside) : null;
    const share = total ? held / total : 0;
    if (share < SOME && !(whole && whole.title + whole.text)) return null;
    return { row, tier: tier(row, whole, !missing, inTitle, share), share, value: asked.total ? value / asked.total : 0 };
  };

  /* How many characters of the query's beginning and of its end stand in the row as they are: of rows with the same words
     the one that is the same line, but for what was cut off or put in. */
  const ends = (row, whole) => {
    const longest = (part) => {
      let [least, most] = [0, whole.length];
      while (least < most) {
        const middle = (least + most + 1) >> 1;
        if (row.low.includes(part(middle))) least = middle;
        else most = middle - 1;
      }
      return least;
    };
    return longest((size) => whole.slice(0, size)) + longest((size) => whole.slice(whole.length - size));
  };

  const tenths = (value) => Math.round(value * 10);

  const order = (a, b) =>
    b.tier - a.tier ||
    tenths(b.share) - tenths(a.share) ||
    tenths(b.value) - tenths(a.value) ||
    b.ends - a.ends ||
    KINDS.indexOf(a.row.kind) - KINDS.indexOf(b.row.kind) ||
    (b.row.helped > 0) - (a.row.helped > 0) ||
    b.row.seen - a.row.seen ||
    (a.row.last < b.row.last) - (a.row.last > b.row.last) ||
    (a.row.url > b.row.url) - (a.row.url < b.row.url);

  /* The rows that answer, best first; those that hold only some of it count only where nothing holds more. */
  const ranked = (rows, asked) => {
    const held = asked.words.filter(({ word }) => rows.some((row) => row.low.includes(word))); // values of a line are in none
    const total = held.reduce((sum, { weight }) => sum + weight, 0);
    const all = (inside) => rows.map((row) => judge(row, asked, inside, total)).filter(Boolean);
    let hits = all(false);
    if (!hits.length) hits = all(true);
    const good = hits.filter((hit) => hit.tier > TIER.some);
    const line = asked.words.length >= LINE ? asked.whole : "";
    return (good.length ? good : hits).map((hit) => ({ ...hit, ends: hit.tier < TIER.text ? ends(hit.row, line) : 0 })).sort(order);
  };

  globalThis.kbRank = { ask, judge, ranked, TIER };
})();
