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

// A field whose words choose among items.
function filter(items, counted, named, then) {
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = input.ariaLabel = `filter ${items.length} ${counted}`;
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().trim();
    for (const item of items) {
      const text = named(item).textContent.toLowerCase();
      item.hidden = !words.split(/\s+/).every((word) => text.includes(word));
    }
    then?.(words);
  });
  return input;
}

for (const table of document.querySelectorAll("table.list")) {
  if (!table.tHead || table.tBodies[0].rows.length < 3) continue;
  sortable(table);
  const rows = [...table.tBodies[0].rows];
  if (rows.length >= 20) table.parentElement.before(filter(rows, "rows", (row) => row));
}

// A section at a time, by the hash; a link to all of them comes last.
const sections = [...document.querySelectorAll("main > section")];
const nav = document.querySelector("nav");
function show() {
  const id = location.hash.slice(1);
  const chosen = sections.find((section) => section.id === id) || sections[0];
  for (const section of sections) section.hidden = id !== "all" && section !== chosen;
  for (const link of nav.querySelectorAll("a")) {
    const target = link.hash.slice(1);
    if (target === id || (target === chosen.id && id !== "all")) link.ariaCurrent = "true";
    else link.removeAttribute("aria-current");
  }
}
if (nav) {
  nav.insertAdjacentHTML("beforeend", '<a href="#all">All on one page</a>');
  addEventListener("hashchange", show);
  show();
}

// Pictures by the names of their tables.
const pictures = document.querySelectorAll("#tables .plots > figure, #tables .picture");
if (pictures.length >= 8) {
  const input = filter(pictures, "pictures", (picture) => picture.querySelector("h4"), (words) => {
    for (const fold of document.querySelectorAll("#tables .fold")) {
      const shown = fold.querySelector(".picture:not([hidden]), figure:not([hidden])");
      fold.hidden = !shown;
      fold.open = words && shown;
    }
  });
  document.querySelector("#tables h2").after(input);
}

// The pictures of a table stand next to each other: each cell tells what that of the new values does.
document.addEventListener("mouseover", ({ target }) => {
  const cell = target.closest?.("table.heat td");
  if (!cell || cell.title) return;
  const [row, column] = [cell.parentElement.rowIndex, cell.cellIndex];
  const tables = [...(cell.closest(".views")?.querySelectorAll("table.heat") || [])];
  cell.title = tables.map((table) => table.rows[row]?.cells[column]?.title).find(Boolean) || "";
});
