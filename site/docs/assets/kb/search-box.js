/* The theme's search box listens to keys only; text that was pasted with the mouse or dropped is searched as well. */
"use strict";
(() => {
  addEventListener("input", (event) => {
    if (event.target instanceof Element && event.target.matches("input.md-search__input"))
      event.target.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
  });
})();
