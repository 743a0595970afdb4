// Files of documents: which texts they have, and their other columns, which are kept.

import { Problem } from "./api.js";
import { csvRows, findDelimiter, unescapeFormula, withoutMark } from "./csv.js";
import { wellFormed } from "./text.js";

export const TEXT_COLUMN = "text";
const ID_COLUMN = "id";
const LABELS_COLUMN = "labels";
const LABEL_PREFIX = "__label__";

/** A file is read as a whole, which takes several times its size in memory. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;

const KINDS = { txt: "lines", csv: "table", tsv: "table", jsonl: "jsonl", ndjson: "jsonl" };
const TAB = "\t";
const COMMA = ",";

/**
 * Read a file of documents.
 *
 * Returns `{name, kind, columns, rows, delimiter}`. A row is `{line, values}` with one value per column, undefined where
 * the row has none. Lines of text have the column `text`, and `labels` where some have words like `__label__news`.
 */
export async function readFile(file) {
  const suffix = file.name.slice(file.name.lastIndexOf(".") + 1).toLowerCase();
  const kind = KINDS[suffix];
  if (kind === undefined) {
    throw new Problem(`${file.name} is none of .txt, .csv, .tsv and .jsonl. Save it as one of them.`);
  }
  if (file.size > MAX_FILE_BYTES) {
    const limit = MAX_FILE_BYTES / MEBIBYTE;
    throw new Problem(`${file.name} is larger than ${limit} MiB. Use the command setwise predict, or split the file.`);
  }
  const text = decoded(file.name, new Uint8Array(await file.arrayBuffer()));
  const read = READERS[kind](text, suffix);
  if (read.rows.length === 0) throw new Problem(`${file.name} has no texts.`);
  return { name: file.name, kind, text, delimiter: COMMA, ...read };
}

/** Return bytes as text: UTF-8, or UTF-16 where a byte order mark says so. */
function decoded(name, bytes) {
  const marks = { "255,254": "utf-16le", "254,255": "utf-16be" };
  try {
    return withoutMark(new TextDecoder(marks[bytes.slice(0, 2)] ?? "utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new Problem(`${name} is not text in UTF-8. Save it as UTF-8 (in spreadsheets: csv UTF-8).`);
  }
}

const READERS = { lines: readLines, table: readTable, jsonl: readJsonl };

/** Read one text per line; as in fastText, words that begin with `__label__` are labels and not part of the text. */
function readLines(text) {
  const rows = nonEmptyLines(text).map(({ line, content }) => {
    const words = content.split(/[ \t]+/);
    const labels = words.filter((word) => word.startsWith(LABEL_PREFIX)).map((word) => word.slice(LABEL_PREFIX.length));
    if (labels.length === 0) return { line, values: [content] };
    return { line, values: [words.filter((word) => !word.startsWith(LABEL_PREFIX)).join(" ").trim(), labels] };
  });
  const hasLabels = rows.some(({ values }) => values.length > 1);
  return { columns: hasLabels ? [TEXT_COLUMN, LABELS_COLUMN] : [TEXT_COLUMN], rows };
}

function readTable(text, suffix) {
  const delimiter = suffix === "tsv" ? TAB : findDelimiter(text, TEXT_COLUMN);
  const [first, ...rest] = csvRows(text, delimiter);
  if (first === undefined) return { columns: [], rows: [] };
  const columns = first.cells.map((name) => name.trim());
  const rows = rest.map(({ line, cells }) => {
    if (cells.length !== columns.length) {
      throw new Problem(
        `Line ${line}: a row must have ${columns.length} fields, as the header has; it has ${cells.length}.`,
      );
    }
    return { line, values: cells };
  });
  return { columns, rows, delimiter };
}

function readJsonl(text) {
  const columns = new Map();
  const rows = nonEmptyLines(text).map(({ line, content }) => {
    let record;
    try {
      record = JSON.parse(content, keepLongNumbers);
    } catch {
      throw new Problem(`Line ${line}: a line must be JSON.`);
    }
    if (typeof record !== "object" || record === null || Array.isArray(record)) {
      throw new Problem(`Line ${line}: a line must be a JSON object, such as {"text": "..."}.`);
    }
    const values = [];
    for (const [name, value] of Object.entries(record)) {
      if (!columns.has(name)) columns.set(name, columns.size);
      values[columns.get(name)] = value;
    }
    return { line, values };
  });
  return { columns: [...columns.keys()], rows };
}

/** Keep numbers that JavaScript would round, such as long ids, as they are written (in browsers that can). */
function keepLongNumbers(key, value, context) {
  const isRounded = typeof value === "number" && context !== undefined && String(value) !== context.source;
  return isRounded && JSON.rawJSON !== undefined ? JSON.rawJSON(context.source) : value;
}

function nonEmptyLines(text) {
  return text
    .split(/\r\n|\n|\r/)
    .map((content, i) => ({ line: i + 1, content }))
    .filter(({ content }) => content.trim() !== "");
}

/** Return the columns that can have the texts: those with a name that occurs once. */
export function textColumns(columns) {
  return columns.filter((name) => name !== "" && columns.indexOf(name) === columns.lastIndexOf(name));
}

/**
 * Return the documents of a file that was read: `{row, id, text, extra}`.
 *
 * `extra` has `[column, value]` of all columns but the id. Raises a `Problem` where a text is missing.
 */
export function documentsOf(file, column = TEXT_COLUMN) {
  const [textAt, idAt] = [column, ID_COLUMN].map((name) => file.columns.indexOf(name));
  return file.rows.map(({ line, values }, i) => {
    const text = values[textAt];
    if (typeof text !== "string") throw new Problem(`Line ${line}: the field '${column}' must be a text.`);
    const id = idAt < 0 || idAt === textAt ? undefined : idOf(values[idAt], file.kind);
    const extra = file.columns
      .map((name, k) => [name, values[k]])
      .filter(([name, value], k) => k !== idAt && name !== "" && value !== undefined);
    return { row: i + 1, id, text: wellFormed(text), extra };
  });
}

function idOf(value, kind) {
  if (value === undefined || value === null || value === "") return undefined;
  return kind === "table" ? unescapeFormula(value) : asText(value);
}

/** Return a value of JSON as text: strings as they are, others as JSON. */
export function asText(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}
