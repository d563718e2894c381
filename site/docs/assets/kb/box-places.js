/* Where the box stands: on the home page, and in a dialog over every other page, opened by the header, by `/`, or by an
   address with a query in it. */
"use strict";
(() => {
  const TYPED = "input, textarea, select, [contenteditable]";

  /* What the address of a page that is not there was of: its last part. */
  const lost = () => {
    const name = location.pathname.split("/").filter(Boolean).at(-1)?.replace(/\.html$/, "") ?? "";
    try {
      return /^(?:404|index)$/.test(name) ? "" : decodeURIComponent(name);
    } catch {
      return "";
    }
  };

  const onHome = (home) => {
    const box = kbBox.mount(home, home.dataset.kbLost === undefined ? 6 : 3);
    if (matchMedia("(min-width: 60em)").matches) box.focus();
    /* Who comes back to this page finds it as it was left; who comes anew finds it empty. */
    addEventListener("pageshow", (event) => {
      const asked = event.persisted ? "" : kbAsked.fromAddress() || kbAsked.kept() || (home.dataset.kbLost === undefined ? "" : lost());
      if (asked) box.take(asked);
      else if (box.text()) box.look();
    });
    return {
      open: (asked) => { if (asked) box.take(asked); box.focus(); scrollTo({ top: 0 }); },
      asked: box.take,
      left: () => { if (!location.hash) box.take(""); },
    };
  };

  const overPage = () => {
    let dialog = null;
    let box = null;
    const make = () => {
      const place = kbResults.element("div", "kb-paste");
      const close = kbResults.element("button", "kb-close", "Close");
      close.type = "button";
      dialog = kbResults.element("dialog", "kb-dialog md-typeset", close, place);
      dialog.setAttribute("aria-label", "Search or paste a log");
      close.addEventListener("click", () => dialog.close());
      dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
      dialog.addEventListener("close", () => { kbAsked.toAddress(""); kbAsked.keep(""); });
      document.body.append(dialog);
      box = kbBox.mount(place, 3);
    };
    const open = (asked) => {
      if (!dialog) make();
      if (!dialog.open) dialog.showModal();
      if (asked && asked !== box.text()) box.take(asked);
      else if (box.text()) box.look();
      else box.showRecent();
      box.focus();
    };
    const before = kbAsked.fromAddress() || kbAsked.kept();
    if (before) open(before);
    return { open, asked: open, left: () => dialog?.close() };
  };

  const mount = () => {
    const home = document.getElementById("kb-paste");
    const place = home ? onHome(home) : overPage();
    /* A query in the address is followed; who goes back to before it finds the box as it was then. */
    addEventListener("hashchange", ({ oldURL }) => {
      if (location.hash.startsWith("#q=")) place.asked(kbAsked.fromAddress());
      else if (new URL(oldURL).hash.startsWith("#q=")) place.left();
    });
    addEventListener("click", (event) => {
      if (!(event.target instanceof Element) || !event.target.closest("[data-kb-ask]")) return;
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      place.open("");
    });
    addEventListener("keydown", (event) => {
      // A site that shows kb's pages beside its own may have a search of the theme, which answers to this key.
      const slash = event.key === "/" && !(event.ctrlKey || event.metaKey || event.altKey) && !document.querySelector("[data-md-component=search]");
      const control = event.key === "k" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      if (!(slash && !event.target.closest?.(TYPED)) && !control) return;
      event.preventDefault();
      place.open("");
    });
  };
  addEventListener("DOMContentLoaded", mount);
})();
