/* The box with the keyboard: arrows go from the box to its results and back, Enter opens the first or the chosen one,
   Esc goes back to the box. In a text of several lines arrows and Enter are the text's own; Ctrl+Enter opens there. */
"use strict";
(() => {
  const inBox = (event, area, links, enter) => {
    const control = event.ctrlKey || event.metaKey;
    const below = area.selectionEnd >= area.value.length || !area.value.includes("\n", area.selectionEnd);
    const [first] = links();
    if (event.key === "ArrowDown" && !control && !event.shiftKey && below && first) first.focus();
    else if (event.key === "Enter" && !event.shiftKey && (control || !area.value.includes("\n")) && area.value.trim()) enter();
    else return false;
    return true;
  };

  const inResults = (event, area, links) => {
    const each = links();
    const at = each.indexOf(document.activeElement);
    if (at < 0 || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    if (event.key === "ArrowDown") each[Math.min(at + 1, each.length - 1)].focus();
    else if (event.key === "ArrowUp") (each[at - 1] ?? area).focus();
    else if (event.key === "Home") each[0].focus();
    else if (event.key === "End") each.at(-1).focus();
    else if (event.key === "Escape") area.focus();
    else return false;
    return true;
  };

  /* Answer a key; `links` gives the links in order, `enter` opens the first. */
  globalThis.kbKeys = (event, area, links, enter) => {
    if (event.altKey || event.isComposing) return;
    const done = document.activeElement === area ? inBox(event, area, links, enter) : inResults(event, area, links);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  };
})();
