/* Finding known signatures in a log. Pure: text in, findings out; runs in a page and in a worker.
   Words of the log are hashed once; only the rules that hang on words that occur are loaded and tried. A rule is tried in
   time linear in the line, without regular expressions, and all steps are counted: no log can make the search long. */
"use strict";
(() => {
  const { known, prepare, begin } = kbParts;
  const { elsewhere, own, named } = kbWhose;
  const MOST_STEPS = 100e6; // characters looked at by all rules together: some seconds at the very most
  const AT_ONCE = 500; // lines whose words are hashed before others run
  const ROLES = ["root", "cascade", "wrapper", "teardown"];

  /* Gives the page a chance to breathe, at most once in a frame: what to wait for, if anything. */
  const breather = (pause) => {
    let last = performance.now();
    return () => {
      if (!pause || performance.now() - last < 12) return null;
      return pause().then(() => { last = performance.now(); });
    };
  };

  /* Says whether all that must stand near a place of the log does. Each line is looked at once. */
  const vicinity = (wanted, log, work) => {
    const near = wanted.map((one) => ({ ...one, known: new Map() }));
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

  /* The parts of a row, made ready once, or null where only a newer page would understand them. */
  const readied = new WeakMap();
  const ready = (row, names) => {
    if (readied.has(row)) return readied.get(row);
    const [, , , , given, near, , , , , , , better] = row;
    const strange = ![given, ...[...near, ...better].map(([, , parts]) => parts)].every((parts) => known(parts, names));
    const around = (some) => some.map(([before, after, parts]) => ({ before, after, parts: prepare(parts, names) }));
    const made = strange ? null : { parts: prepare(given, names), near: around(near), better: around(better) };
    readied.set(row, made);
    return made;
  };

  /* What one rule finds in the lines at `places`, or null. */
  const tryRule = async (row, { parts, near: wanted, better }, places, log, work, breathe) => {
    const [, url, title, role, given, , fix, helped, tries, sessions, last, ended, , under, rank, whose, apart] = row;
    const near = vicinity(wanted, log, work);
    const where = [];
    const strange = []; // whether what stands there is another program's
    for (const place of places) {
      if (work.steps > MOST_STEPS) break;
      const line = log.lines[place];
      const rest = breathe();
      if (rest) await rest;
      const at = begin(parts, line, work);
      if (at < 0 || (at && "`“‘'".includes(line[at - 1]))) continue; // what a line only quotes did not happen
      if (!near(place)) continue;
      where.push(place);
      strange.push(elsewhere(apart, line, at, given));
    }
    if (!where.length) return null;
    const surely = vicinity(better, log, work);
    const sure = where.some(surely); // without anything better, this is as sure as it gets
    const ours = (better.length && sure) || own(apart, log, where, work) || named(whose, log, where, work);
    const careful = whose && !ours ? whose : null;
    const maybe = careful !== null && where.every((_, i) => strange[i]); // a suggestion, no match
    const weight = given.reduce((sum, part) => sum + (part.length ?? 1), 0);
    return { url, title, role, fix, helped, tries, sessions, last, ended, weight, sure, careful, maybe, under, rank, where };
  };

  /* By role; those last beside which attempts ended in another one that was found; then failures in which an attempt
     ended once before those that only stood beside others; then by line, and on one line the surest, the one that says
     more. */
  const ordered = (found) => {
    const byUrl = new Map(found.map((one) => [one.url, one]));
    for (const one of found) {
      one.beside = one.under.some((url) => byUrl.get(url)?.role === "root" && !byUrl.get(url).maybe && !byUrl.get(url).under.includes(one.url));
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
        known.careful &&= one.careful;
        known.maybe &&= one.maybe;
      } else byUrl.set(one.url, one);
    }
    return [...byUrl.values()].map(({ where, rank, ...one }) => {
      const first = where.reduce((low, place) => Math.min(low, place));
      return { ...one, count: new Set(where.map((place) => log.numbers[place])).size, line: log.numbers[first], text: log.lines[first] };
    });
  };

  /* All known signatures in `text`, the likely cause first. `load` gives a data file by name, `pause` lets others run
     (leave it out in a worker). Out: the number of lines, the findings, the steps that the rules took, whether that was
     all (a log made to be slow to search is searched in part), and how many rules were not understood. */
  const find = async (text, load, pause) => {
    const breathe = breather(pause);
    const index = await load("rules");
    const keys = (index.unpacked ??= kbWords.unpack(index.keys, index.bits));
    const log = await kbLog.read(text, breathe);
    const places = new Map();
    for (let first = 0; first < log.lines.length; first += AT_ONCE) {
      kbWords.eachKey(log.lines.slice(first, first + AT_ONCE), keys, (key, line) => {
        const place = first + line;
        const list = places.get(key);
        if (!list) places.set(key, [place]);
        else if (list[list.length - 1] !== place) list.push(place);
      });
      const rest = breathe();
      if (rest) await rest;
    }
    const shards = [...new Set([...places.keys()].map((key) => key % index.shards))];
    const files = await Promise.all(["any", ...shards].map((name) => load(`rules/${name}`)));
    const every = log.lines.map((_, place) => place);
    const work = { steps: 0 };
    const found = [];
    let strange = 0;
    for (const row of files.flat()) {
      const where = row[0] ? places.get(row[0]) : every;
      if (!where) continue;
      const made = ready(row, index.gaps);
      if (!made) {
        strange++;
        continue;
      }
      const finding = await tryRule(row, made, where, log, work, breathe);
      if (finding) found.push(finding);
    }
    return {
      lines: log.total,
      found: ordered(together(decided(found), log)),
      steps: work.steps,
      complete: work.steps <= MOST_STEPS,
      strange,
    };
  };

  globalThis.kbMatcher = { find, clean: kbLog.clean, matches: (parts, names, line, work = { steps: 0 }) => begin(prepare(parts, names), line, work) };
})();
