// Predictions with the columns of the input, as csv or jsonl; the columns are those of the command line.

import { Problem } from "./api.js";
import { copiedCell, csvText, escapeFormula } from "./csv.js";
import { asText } from "./documents.js";

const SEPARATOR = ";";
/** Names of columns of predictions; an input column of such a name is written with one more `input_`. */
const PREDICTION_COLUMN = /^(input_)*(row|id|labels|action|confidence|expected_f1|coverage|error)$/;

/**
 * Yield one map per document: its row, id and prediction, then the columns of the input.
 *
 * A prediction is what the service answered, or `{error}` for a text that it does not take.
 */
export function* outputRecords(documents, predictions) {
  const hasActions = predictions.some((prediction) => prediction.action);
  const hasErrors = predictions.some((prediction) => prediction.error);
  for (const [i, prediction] of predictions.entries()) {
    const { row, id, extra } = documents[i];
    const record = new Map([["row", row]]);
    if (id !== undefined) record.set("id", id);
    record.set("labels", prediction.labels ?? null);
    if (hasActions) record.set("action", prediction.action ?? null);
    for (const name of ["confidence", "expected_f1", "coverage"]) record.set(name, prediction[name] ?? null);
    if (hasErrors) record.set("error", prediction.error ?? null);
    for (const [name, value] of extra) record.set(outputName(name), value);
    yield record;
  }
}

/** Return the predictions as JSON lines. */
export function jsonLines(documents, predictions) {
  return Array.from(outputRecords(documents, predictions), (record) => `${jsonObject(record)}\n`).join("");
}

/** Return a map as JSON, in its order, which an object would not keep for names that are numbers. */
function jsonObject(record) {
  return `{${Array.from(record, (pair) => pair.map((one) => JSON.stringify(one)).join(":")).join(",")}}`;
}

/** Return the predictions as csv; raise a `Problem` where a label cannot be written. */
export function csvTable(documents, predictions, delimiter) {
  const records = [...outputRecords(documents, predictions)];
  const columns = new Set(records.flatMap((record) => [...record.keys()]));
  const header = [...columns].sort((a, b) => isKept(a) - isKept(b)); // kept columns last, else in the order they came
  const rows = records.map((record) => header.map((name) => cellOf(name, record.get(name))));
  return csvText([header.map(escapeFormula), ...rows], delimiter);
}

function outputName(name) {
  return PREDICTION_COLUMN.test(name) ? `input_${name}` : name;
}

function isKept(column) {
  return Number(!PREDICTION_COLUMN.test(column) || column.startsWith("input_"));
}

function cellOf(column, value) {
  if (value === undefined || value === null) return "";
  if (isKept(column)) return copiedCell(asText(value));
  if (column === "labels") return joined(value);
  return typeof value === "string" ? escapeFormula(value) : String(value);
}

function joined(labels) {
  const escaped = labels.map(escapeFormula);
  if (escaped.some((label) => label.includes(SEPARATOR))) {
    throw new Problem("A label contains ';', which separates labels in csv. Download jsonl.");
  }
  return escaped.join(SEPARATOR);
}
