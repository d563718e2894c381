/* Index tables: a box above a long one shows only the rows that hold all the words typed, and the head of each column
   is a button that orders the rows. Without script the tables are whole and in their own order. */
"use strict";
(() => {
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

  /* What a cell is ordered by: its number where it begins with one, else its text. */
  const value = (row, column) => {
    const cell = row.cells[column];
    const bar = cell && cell.querySelector("[data-kb-value]");
    return bar ? bar.dataset.kbValue : cell ? cell.textContent.trim() : "";
  };

  const order = (table, column, down) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort(([a], [b]) => (!a - !b) || (down ? -1 : 1) * collator.compare(a, b));
    body.append(...rows.map(([, row]) => row));
  };

  const sortable = (table) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "kb-sort";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending" ||
          (!head.hasAttribute("aria-sort") && head.classList.contains("kb-n"));
        for (const one of heads) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        order(table, column, down);
      });
    });
  };

  const filtered = (box, table) => {
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

  const mount = () => {
    const box = document.querySelector("[data-kb-filter]");
    const table = document.querySelector(".kb-table");
    if (box && table) filtered(box, table);
    for (const one of document.querySelectorAll("table[data-kb-sort]"))
      if (one.tBodies[0].rows.length > 1 && !one.querySelector(".kb-sort")) sortable(one);
  };
  addEventListener("DOMContentLoaded", mount);
})();
