/* Lines of a log as a person saw them: without colours and what was written over, with their numbers in the log.
   Pure; runs in a page and in a worker. */
"use strict";
(() => {
  const LONGEST_LINE = 4000; // characters of a line that rules are tried on

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
      const rest = number % 500 === 0 ? breathe() : null;
      if (rest) await rest;
    }
    return { lines, numbers, total: number };
  };

  globalThis.kbLog = { clean, read, LONGEST_LINE };
})();
