/* The box above a long table: shows only the rows that hold all the words typed. */
"use strict";
(() => {
  const mount = () => {
    const box = document.querySelector("[data-kb-filter]");
    const table = document.querySelector(".kb-table");
    if (!box || !table) return;
    const rows = [...table.tBodies[0].rows].map((row) => ({ row, text: row.textContent.toLowerCase() }));
    const said = document.querySelector("[data-kb-filter-count]");
    box.addEventListener("input", () => {
      const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const { row, text } of rows) {
        row.hidden = !words.every((word) => text.includes(word));
        if (!row.hidden) shown++;
      }
      said.textContent = words.length ? `${shown} of ${rows.length}` : "";
    });
  };
  addEventListener("DOMContentLoaded", mount);
})();
