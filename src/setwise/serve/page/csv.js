// Tables of text: csv and tsv, read and written as the command line does.

import { Problem } from "./api.js";

const BYTE_ORDER_MARK = "\uFEFF";
const DELIMITERS = [",", ";", "\t", "|"];
/** Rows that the delimiter is guessed from. */
const ROWS_LOOKED_AT = 20;
/** Cells with apostrophes before the first character of a formula get one more, so that removing one restores them. */
const FORMULA = /^'*[=+\-@\t\r]/;
const NUMBER = /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/;

/** Return the text without the byte order mark that some programs write at its beginning. */
export function withoutMark(text) {
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/**
 * Yield the rows of a table as `{line, cells}`, where `line` is the number of the line that the row begins at.
 *
 * Fields in quotation marks may contain delimiters, line ends and doubled quotation marks. Empty lines are no rows.
 */
export function* csvRows(text, delimiter) {
  const plain = new RegExp(`[^${delimiter}\\r\\n]*`, "y");
  let place = 0;
  let line = 1;
  while (place < text.length) {
    const row = { line, cells: [] };
    const isEmpty = text[place] === "\r" || text[place] === "\n";
    for (let more = true; more; ) {
      let cell;
      if (text[place] === '"') {
        [cell, place] = quotedCell(text, place, row.line);
        line += (cell.match(/\r\n|\r|\n/g) ?? []).length;
      } else {
        plain.lastIndex = place;
        cell = plain.exec(text)[0];
        place += cell.length;
      }
      row.cells.push(cell);
      more = text[place] === delimiter;
      if (more) place++;
      else if (place < text.length && text[place] !== "\r" && text[place] !== "\n") throw unmatched(row.line);
    }
    if (place < text.length) {
      place += text.startsWith("\r\n", place) ? 2 : 1;
      line++;
    }
    if (!isEmpty) yield row;
  }
}

/** Return the cell in quotation marks that begins at a place, and the place after it. */
function quotedCell(text, begin, line) {
  let end = begin + 1;
  for (;;) {
    end = text.indexOf('"', end);
    if (end < 0) throw unmatched(line);
    if (text[end + 1] !== '"') break;
    end += 2;
  }
  return [text.slice(begin + 1, end).replaceAll('""', '"'), end + 1];
}

function unmatched(line) {
  return new Problem(`Line ${line}: a row must be complete, with matching quotation marks.`);
}

/**
 * Return the delimiter of a table: the one that its first rows have most fields with, all equally many.
 *
 * One that makes a column of the given name wins over all others.
 */
export function findDelimiter(text, column) {
  let best = { delimiter: ",", n: 1 };
  for (const delimiter of DELIMITERS) {
    const rows = firstRows(text, delimiter);
    if (rows.length === 0) continue;
    if (rows[0].some((cell) => cell.trim() === column) && rows[0].length > 1) return delimiter;
    const n = rows[0].length;
    if (n > best.n && rows.every((cells) => cells.length === n)) best = { delimiter, n };
  }
  return best.delimiter;
}

function firstRows(text, delimiter) {
  const rows = [];
  try {
    for (const { cells } of csvRows(text, delimiter)) {
      if (rows.push(cells) === ROWS_LOOKED_AT) break;
    }
  } catch {
    return []; // quotation marks do not match with this delimiter
  }
  return rows;
}

/** Return the cell with an apostrophe in front if a spreadsheet would run it as a formula. */
export function escapeFormula(cell) {
  return FORMULA.test(cell) ? `'${cell}` : cell;
}

/** Undo `escapeFormula`. */
export function unescapeFormula(cell) {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** Return a cell that was copied from the input; a number is never a formula, though it may begin with a sign. */
export function copiedCell(cell) {
  return NUMBER.test(cell) ? cell : escapeFormula(cell);
}

/** Return rows of cells as one csv text. Spreadsheets read UTF-8 as such only behind a byte order mark. */
export function csvText(rows, delimiter) {
  const special = new RegExp(`["\\r\\n${delimiter}]`);
  const quoted = (cell) => (special.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  return BYTE_ORDER_MARK + rows.map((cells) => `${cells.map(quoted).join(delimiter)}\r\n`).join("");
}
