/* Pages opened from disk: a browser gives them no folder indexes, so links are led to the page in a folder.
   Does nothing on a page that came from a server. */
"use strict";
(() => {
  if (location.protocol !== "file:") return;

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
