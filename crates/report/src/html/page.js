// Lists that can be sorted and filtered; squares that tell old, new and change. A page works without.
"use strict";
const number = (cell) => parseFloat(cell.textContent.replace("+", ""));

function compare(a, b, column) {
  const [x, y] = [number(a.cells[column]), number(b.cells[column])];
  if (isNaN(x) && isNaN(y)) {
    return a.cells[column].textContent.localeCompare(b.cells[column].textContent);
  }
  return isNaN(x) - isNaN(y) || Math.abs(y) - Math.abs(x) || y - x;
}

function sortable(table) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const orders = { none: "descending", descending: "ascending", ascending: "none" };
  heads.forEach((head, column) => {
    const sort = () => {
      const order = orders[head.ariaSort || "none"];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      const sorted = [...rows];
      if (order !== "none") {
        head.ariaSort = order;
        sorted.sort((a, b) => compare(a, b, column));
      }
      if (order === "ascending") sorted.reverse();
      body.append(...sorted);
    };
    head.tabIndex = 0;
    head.title = "sort";
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => event.key === "Enter" && sort());
  });
}

function filtered(table) {
  const rows = [...table.tBodies[0].rows];
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = input.ariaLabel = `filter ${rows.length} rows`;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  table.parentElement.before(input);
}

for (const table of document.querySelectorAll("table.list")) {
  if (!table.tHead || table.tBodies[0].rows.length < 3) continue;
  sortable(table);
  if (table.tBodies[0].rows.length >= 20) filtered(table);
}

// The pictures of a table stand next to each other: old, new, change.
document.addEventListener("mouseover", ({ target }) => {
  const cell = target.closest?.("table.heat td");
  const group = cell?.closest(".views");
  if (!cell || cell.title || !group) return;
  const [row, column] = [cell.parentElement.rowIndex, cell.cellIndex];
  const tables = [...group.querySelectorAll("table.heat")];
  const texts = tables.map((table) => {
    const what = table.ariaLabel.split(", ").pop();
    return `${what} ${table.rows[row]?.cells[column]?.textContent.trim() || "–"}`;
  });
  cell.title = texts.join("\n");
});
