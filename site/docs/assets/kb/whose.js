/* Whose a message is that any program can print: what kb/triage/origin.py and matching.py decide for whole failures, as far
   as lines tell it. `apart` is what kb/runbook/data/whose.py tells of the sessions' program, or 0. Pure. */
"use strict";
(() => {
  const HEAD = 2000; // lines in which a log names its program, and so many before a failure's own
  const NEAR = 200;
  const FRAMES = 60; // lines before a failure's own, and after it, in which its frames stand
  const PLACES = 3; // of a failure in a log that are looked at
  const VALUE = /\w*\d\w*/gu;
  const LEVEL = /^(?:error|fatal|critical|severe|err|warn|warning|info|e|f)$/i;

  const lower = (lines) => lines.join("\n").toLowerCase();
  const isWord = (sign) => sign !== undefined && /[\p{L}\p{N}_]/u.test(sign);
  const isSign = (sign) => sign !== undefined && /[a-z0-9]/.test(sign);

  /* Whether a text holds a word that stands alone. */
  const holds = (text, word, inside) => {
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
      if (!inside(text[at - 1]) && !inside(text[at + word.length])) return true;
    }
    return false;
  };

  /* Parts of a log, each made once. */
  const part = (log, from, to) => {
    log.parts ??= new Map();
    const key = `${from}-${to}`;
    if (!log.parts.has(key)) log.parts.set(key, lower(log.lines.slice(Math.max(from, 0), to)));
    return log.parts.get(key);
  };

  /* Whether the log names one of these programs: in its head, or near the first of the failure's places. */
  const named = (programs, log, where, work) => {
    if (!programs || !programs.length) return false;
    const texts = [part(log, 0, HEAD), ...where.slice(0, PLACES).map((place) => part(log, place - NEAR, place + NEAR))];
    return texts.some((text) => {
      work.steps += text.length;
      const folded = text.replaceAll("_", "-");
      return programs.some((name) => holds(folded, name.toLowerCase().replaceAll("_", "-"), isSign));
    });
  };

  /* The lines of the report around a failure's own: up to where a traceback begins, and down as far as frames go. */
  const report = (log, place) => {
    let [from, to] = [place, place + 1];
    while (from > 0 && place - from < FRAMES && !log.lines[from].includes("Traceback (most recent")) from--;
    while (to < log.lines.length && to - place < FRAMES && /^\s|\bat \S|Caused by/.test(log.lines[to])) to++;
    return log.lines.slice(from, to);
  };

  /* Whether a frame of the sessions' program stands in the report of the failure's first place: `file:function`, on one
     line. */
  const own = (apart, log, [place], work) => {
    if (!apart || !apart[1].length) return false;
    const places = apart[1].map((one) => one.split(":"));
    return report(log, place).some((printed) => {
      const line = printed.toLowerCase();
      work.steps += line.length;
      return places.some(([file, name]) => line.includes(name) && holds(line, name, isWord) && (!file || holds(line, file, isSign)));
    });
  };

  /* Whether a line of nothing but the system's words says more than the sessions' lines: who met it, or on what. */
  const saysMore = (printed, line, at, given) => {
    const bare = line.trim().replace(/\s+/g, " ").replace(VALUE, "0");
    if (printed.some((one) => bare.endsWith(one))) return false;
    const who = /([^\s"'`]+)["'`]?:\s*$/.exec(line.slice(0, at));
    if (who && /[a-z]/i.test(who[1]) && !LEVEL.test(who[1])) return true;
    const [literal] = given;
    return given.length === 1 && typeof literal === "string" && /[a-z0-9]/i.test(line.slice(at + literal.length));
  };

  /* Whether what a line says is another program's, where nothing else shows that it is the same: `at` is where the rule
     of the parts `given` begins in it. */
  const elsewhere = (apart, line, at, given) => {
    if (!apart) return false;
    const [tells, , printed, ...messages] = apart;
    const said = (message) => {
      const from = line.indexOf(message);
      return from >= 0 && !isWord(line[from + message.length]);
    };
    return (tells && !messages.some(said)) || (printed !== 0 && saysMore(printed, line, at, given));
  };

  globalThis.kbWhose = { named, own, elsewhere };
})();
