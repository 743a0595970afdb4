"use strict";
// Sorts the tables that ask for it, by the column whose heading is pressed; without it, all rows are there all the same.
const valueOf = (row, column) => {
  const text = row.cells[column].textContent;
  const number = Number(text.replace(/[,%\s]/g, "").replace("−", "-"));
  return text.trim() === "" || Number.isNaN(number) ? text : number;
};
const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
for (const table of document.querySelectorAll("table.sortable")) {
  const headings = [...table.tHead.rows[0].cells];
  headings.forEach((heading, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const starts = heading.classList.contains("n") ? "descending" : "ascending";
      const other = starts === "ascending" ? "descending" : "ascending";
      const order = heading.getAttribute("aria-sort") === starts ? other : starts;
      headings.forEach((one) => one.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const keyed = [...table.tBodies[0].rows].map((row) => [valueOf(row, column), row]);
      keyed.sort((a, b) => sign * compare(a[0], b[0]));
      table.tBodies[0].append(...keyed.map(([, row]) => row));
    });
  });
}
