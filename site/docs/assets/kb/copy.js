/* The theme's copy buttons take the laid-out text of a block, in which every line of ours would end twice; what is to
   be copied is the text as it stands. Blocks that say themselves what to copy (only the commands) keep their word. */
"use strict";
(() => {
  const settle = (event) => {
    const button = event.target instanceof Element && event.target.closest("[data-clipboard-target]");
    const code = button && document.querySelector(button.dataset.clipboardTarget);
    if (code && code.querySelector(".kb-l") && !code.closest("[data-copy]"))
      code.parentElement.setAttribute("data-copy", code.textContent);
  };
  addEventListener("click", settle, true);
})();
