/* A log that is longer than its place is shown from where its decisive line is seen, not from its beginning. */
"use strict";
(() => {
  const BEFORE = 0.4; // of the place, above the line

  const settle = () => {
    for (const line of document.querySelectorAll(".kb-log .kb-l-root")) {
      const place = line.closest("code");
      if (place.scrollTop || place.scrollHeight <= place.clientHeight) continue;
      const down = line.getBoundingClientRect().top - place.getBoundingClientRect().top;
      if (down + line.offsetHeight > place.clientHeight) place.scrollTop = down - BEFORE * place.clientHeight;
    }
  };
  addEventListener("DOMContentLoaded", settle);
})();
