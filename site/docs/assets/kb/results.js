/* What the box shows: known failures of a log as cards, and what was found by its words.
   What comes from a log or from records is only ever put into the page as text. */
"use strict";
(() => {
  const LONG = 100000;
  const MOST_CARDS = 50;
  const FEW = 4; // words of a query that are all marked
  const TELLING = 0.35; // of the weight of the most telling word: what less tells is not marked
  const ROLES = {
    root: "root cause",
    cascade: "follows from another failure",
    wrapper: "wraps another failure",
    teardown: "after-effect of stopping",
  };
  const KINDS = { signature: "signature", fix: "fix", session: "session", component: "component", tag: "tag", page: "guide" };
  const EXCEPTION = /^\S*(?:Error|Exception)\b.*: /;

  const element = (name, kind, ...children) => {
    const made = document.createElement(name);
    if (kind) made.className = kind;
    made.append(...children.filter((child) => child !== null && child !== ""));
    return made;
  };
  /* Text of a log or a record, in whichever direction it is written. */
  const written = (name, kind, ...children) => {
    const made = element(name, kind, ...children);
    made.dir = "auto";
    return made;
  };
  const counted = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`;

  const bar = (helped, tries) => {
    const meter = element("span", "kb-meter");
    meter.style.setProperty("--kb-part", tries ? helped / tries : 0);
    const said = element("span", "kb-bar", meter, element("b", "", `${helped}/${tries}`));
    said.title = `worked ${helped} of ${tries} times`;
    return said;
  };
  const link = (kind, url, ...children) => {
    const made = written("a", kind, ...children);
    made.href = new URL(url, kb.root);
    return made;
  };

  /* The last line of the log that names an exception which no finding stands on; "" when there is none. */
  const unrecognised = (text, found) => {
    const known = new Set(found.map((one) => one.text));
    const lines = text.slice(-LONG).split("\n").map((line) => kbMatcher.clean(line).slice(0, 4000));
    return lines.findLast((line) => EXCEPTION.test(line) && !known.has(line)) ?? "";
  };

  const symptoms = (unknown) =>
    element("span", "kb-card-fix", "Only symptoms are known here: look for what came before or after it.",
      unknown && element("span", "kb-card-unknown", " Not known yet: ", written("code", "kb-card-line", unknown.slice(0, 400))));

  const proof = ({ fix, helped, tries, careful, maybe }) => {
    if (!fix) return element("span", "kb-card-fix", "no fix proven yet");
    const whose = careful?.length ? written("bdi", "", careful.slice(0, 3).join(", ")) : "another program, perhaps";
    return element("span", "kb-card-fix", maybe ? "its fix: " : "", written("b", "", fix), " ", bar(helped, tries),
      careful ? element("span", "kb-card-whose", " · worked for ", whose, ": check that its cause is yours") : "");
  };

  /* What to beware of where the message does not tell whose it is, in the words of kb triage. */
  const caution = ({ careful, maybe }) =>
    careful && element("span", "kb-card-careful", maybe ? element("b", "", "A suggestion, not a match: ") : "careful: ",
      "any program can print this message, and nothing shows that this is the program of the sessions",
      careful.length ? written("bdi", "", ` (${careful.slice(0, 3).join(", ")})`) : "");

  const card = (finding, first, unknown) => {
    const times = finding.count > 1 ? `, ${finding.count} times` : "";
    const side = element("span", "kb-card-side", `line ${finding.line.toLocaleString("en")}${times}`);
    const line = written("code", "kb-card-line", finding.text.trim().slice(0, 400));
    const seen = `${counted(finding.sessions, "session")}${finding.last ? `, last ${finding.last}` : ""}`;
    const root = finding.role === "root";
    const fix = root ? proof(finding) : first ? symptoms(unknown) : null;
    const kind = !root || finding.careful ? "kb-card-symptom" : finding.fix ? "" : "kb-card-open";
    const name = link("kb-card-title", finding.url, finding.title);
    if (finding.maybe) name.prepend("resembles: ");
    return element("li", `kb-card ${kind}${first ? " kb-card-first" : ""}`, name, side, line, root ? caution(finding) : null, fix,
      element("span", "kb-card-seen", `${root ? "" : "a symptom: "}${ROLES[finding.role] || ""} · seen in ${seen}`));
  };

  /* The known failures in a log, the likely cause first. */
  const known = (found, text) => {
    if (!found.length) return [];
    const unknown = found[0].role === "root" ? "" : unrecognised(text, found);
    const shown = found.slice(0, MOST_CARDS);
    const rest = found.length - shown.length;
    return [element("ol", "kb-cards", ...shown.map((one, i) => card(one, i === 0, unknown))),
      rest ? element("p", "kb-cut", `and ${counted(rest, "more known failure")}`) : ""].filter(Boolean);
  };

  /* A text with the words marked, as nodes. */
  const marked = (text, wanted) => {
    const nodes = [];
    let end = 0;
    for (const [from, to] of kbText.ranges(text, wanted)) {
      nodes.push(text.slice(end, from), element("mark", "", text.slice(from, to)));
      end = to;
    }
    return [...nodes, text.slice(end)].filter(Boolean);
  };

  const hit = ({ row }, wanted) => {
    const facts = [];
    if (row.role && row.role !== "root") facts.push(ROLES[row.role] || "");
    if (row.kind === "session") facts.push(row.last);
    else if (row.seen) facts.push(counted(row.seen, "session"));
    const side = element("span", "kb-card-side", element("span", `kb-hit-kind kb-hit-${row.kind}`, KINDS[row.kind] ?? row.kind), ` ${facts.filter(Boolean).join(", ")}`);
    const line = row.text ? written("span", "kb-hit-text", ...marked(kbText.snippet(row.text, wanted), wanted)) : null;
    let fix = null;
    if (row.kind === "signature" && (!row.role || row.role === "root")) fix = proof(row);
    else if (row.kind === "fix" && row.tries) fix = element("span", "kb-card-fix", bar(row.helped, row.tries));
    const open = row.kind === "signature" && row.fix ? "" : " kb-card-plain";
    return element("li", `kb-card kb-hit${open}`, link("kb-hit-title", row.url, ...marked(row.title, wanted)), side, fix, line);
  };

  /* The words that are worth marking: in a long query not those that stand on every page. */
  const telling = ({ words }) => {
    const most = Math.max(...words.map(({ weight }) => weight));
    return words.filter(({ weight }) => words.length < FEW || weight >= TELLING * most).map(({ word }) => word);
  };

  /* What was found by words, under a heading that says so. */
  const hits = (found, asked, heading) => {
    if (!found.length) return [];
    const wanted = [...new Set([asked.whole, ...telling(asked)])].filter((word) => word.length > 1);
    const list = element("ol", "kb-cards", ...found.map((one) => hit(one, wanted)));
    return [heading ? element("p", "kb-found-by", heading) : "", list].filter(Boolean);
  };

  globalThis.kbResults = { element, written, counted, known, hits, unrecognised };
})();
