/* The box with the keyboard: arrows go from the box to its results and back, Enter opens the first or the chosen one,
   Esc goes back to the box. In a text of several lines the arrows first move within the text. */
"use strict";
(() => {
  const plain = (event) => !(event.ctrlKey || event.metaKey || event.altKey || event.isComposing);

  const inBox = (event, area, links) => {
    const below = area.selectionEnd >= area.value.length || !area.value.includes("\n", area.selectionEnd);
    const [first] = links();
    if (event.key === "ArrowDown" && below && first) first.focus();
    else if (event.key === "Enter" && !event.shiftKey && first && area.value.trim()) first.click();
    else return false;
    return true;
  };

  const inResults = (event, area, links) => {
    const each = links();
    const at = each.indexOf(document.activeElement);
    if (at < 0) return false;
    if (event.key === "ArrowDown") each[Math.min(at + 1, each.length - 1)].focus();
    else if (event.key === "ArrowUp") (each[at - 1] ?? area).focus();
    else if (event.key === "Home") each[0].focus();
    else if (event.key === "End") each.at(-1).focus();
    else if (event.key === "Escape") area.focus();
    else return false;
    return true;
  };

  globalThis.kbKeys = (event, area, links) => {
    if (!plain(event)) return;
    const done = document.activeElement === area ? inBox(event, area, links) : inResults(event, area, links);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation();
  };
})();
