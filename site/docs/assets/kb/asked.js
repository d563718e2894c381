/* What was asked, where a reader can come back to it: in the address (a link to give to others), in the tab, and in a
   list of recent searches that stays in this browser. The address is what follows `#`, which no browser sends anywhere.
   Only short single lines get there, and none that may hold a secret; a pasted log stays in the tab. */
"use strict";
(() => {
  const LONGEST = 200; // characters of what may stand in the address and in the list
  const MOST = 8;
  const MOST_KEPT = 2 * 1024 * 1024; // characters of a log
  const LOG = "kb-paste";
  const PAGE = "kb-paste-page";
  const RECENT = `kb-recent ${kb.root.pathname}`; // one origin may hold several sites

  const NAMED = /(?:passw|secret|token|api.?key|credential|authorization|cookie|private.?key)[\w-]*["']?\s*[=:]\s*["']?[^\s"']{6}|\b(?:bearer|basic)\s+[^\s"']{8}/i;
  const USER = /:\/\/[^\s/@]*:[^\s/@]+@/;
  const RUN = /[A-Za-z0-9+/=_-]{20,}/g;

  /* Whether a run of characters looks drawn by lot: small and large letters and digits in no order of a name. */
  const random = (run) => /[0-9]/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) && !/[a-z]{5}/.test(run);
  const long = (run) => /^[0-9a-f]{32,}$/i.test(run) || /^(?:AKIA|ASIA|gh[pousr]_|xox[a-z]-|sk-|eyJ|glpat-)/.test(run);

  const mayHoldSecret = (text) => NAMED.test(text) || USER.test(text) || (text.match(RUN) ?? []).some((run) => random(run) || long(run));

  /* Whether a text may be written down as a query. */
  const short = (text) => text.trim().length > 1 && text.length <= LONGEST && !text.trim().includes("\n") && !mayHoldSecret(text);

  /* Storage may be denied, full, or hold what others wrote. */
  const stored = (storage, name) => {
    try {
      return globalThis[storage].getItem(name) ?? "";
    } catch {
      return "";
    }
  };
  const store = (storage, name, value) => {
    try {
      if (value) globalThis[storage].setItem(name, value);
      else globalThis[storage].removeItem(name);
    } catch {
      // Without storage nothing is remembered.
    }
  };

  /* The query of the address, after `#q=` or `?q=`. */
  const fromAddress = () => {
    const asked = /^#q=(.*)$/s.exec(location.hash);
    if (asked) {
      try {
        return decodeURIComponent(asked[1].replace(/\+/g, " "));
      } catch {
        return asked[1];
      }
    }
    return new URLSearchParams(location.search).get("q") ?? "";
  };

  /* Put a query into the address, or take it out of there. */
  const toAddress = (text) => {
    const url = new URL(location);
    const hash = short(text) ? `#q=${encodeURIComponent(text.trim())}` : "";
    if (!hash && !url.hash.startsWith("#q=") && !url.searchParams.has("q")) return;
    url.searchParams.delete("q");
    url.hash = hash;
    try {
      history.replaceState(history.state, "", url.href.replace(/#$/, ""));
    } catch {
      // Some browsers let no page from disk change its address.
    }
  };

  const recent = () => {
    try {
      const list = JSON.parse(stored("localStorage", RECENT) || "[]");
      return list.filter((one) => typeof one === "string" && short(one)).slice(0, MOST);
    } catch {
      return [];
    }
  };
  const remember = (text) => {
    const query = text.trim();
    if (short(query)) store("localStorage", RECENT, JSON.stringify([query, ...recent().filter((one) => one !== query)].slice(0, MOST)));
  };
  const forget = () => store("localStorage", RECENT, "");

  /* The text of this tab and page, for when the reader comes back to it; a long one would not fit. */
  const keep = (text) => {
    store("sessionStorage", LOG, text.length < MOST_KEPT ? text : "");
    store("sessionStorage", PAGE, location.pathname);
  };
  const kept = () => {
    const [arrival] = performance.getEntriesByType("navigation");
    const back = arrival && arrival.type !== "navigate" && stored("sessionStorage", PAGE) === location.pathname;
    return back ? stored("sessionStorage", LOG) : "";
  };

  globalThis.kbAsked = { fromAddress, toAddress, recent, remember, forget, keep, kept, short };
})();
