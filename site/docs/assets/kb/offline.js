/* Pages opened from disk: a browser gives them no workers and no folder indexes, so both are made up for here.
   Loaded before the theme; does nothing on a page that came from a server. */
"use strict";
(() => {
  if (location.protocol !== "file:") return;

  /* A stand-in for the search worker that runs in the page itself. */
  class PageWorker extends EventTarget {
    constructor() {
      super();
      const post = (data) => setTimeout(() => this.dispatchEvent(new MessageEvent("message", { data })));
      const ready = new Promise((resolve) => addEventListener("DOMContentLoaded", resolve, { once: true }));
      this.answer = ready.then(() => kbSearch.answer(post, kb.load));
    }

    postMessage(message) {
      this.answer.then((answer) => answer(message));
    }

    terminate() {}
  }
  globalThis.Worker = PageWorker;

  /* A link to a folder leads to the page in it. */
  const lead = (event) => {
    const link = event.target instanceof Element && event.target.closest("a[href]");
    if (!link) return;
    const url = new URL(link.href, location);
    if (url.protocol !== "file:" || !url.pathname.endsWith("/")) return;
    url.pathname += "index.html";
    link.href = url.href;
  };
  addEventListener("click", lead, true);
  addEventListener("auxclick", lead, true);
})();
