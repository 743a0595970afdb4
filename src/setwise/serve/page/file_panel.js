// Files of texts: chosen or dropped, predicted in the background, and downloaded with their columns.

import { Problem } from "./api.js";
import { documentsOf, readFile, textColumns, TEXT_COLUMN } from "./documents.js";
import { announce, byId, element, showText } from "./dom.js";
import { Job } from "./job.js";
import { csvTable, jsonLines } from "./output.js";
import { count, percent } from "./text.js";

const TYPES = { csv: "text/csv", jsonl: "application/jsonl" };
const SUFFIX = /\.[^.]*$/;
const SEMICOLON = ";";
const COMMA = ",";

/**
 * The part of the page that predicts files.
 *
 * `api` is the service, `currentModel()` returns the description of the chosen model, and `showWhole(text)` predicts a
 * file as one text.
 */
export class FilePanel {
  #api;
  #currentModel;
  #showWhole;
  #file = null;
  #documents = [];
  #job = null;
  #running = null;
  #started = 0;

  constructor(api, currentModel, showWhole) {
    this.#api = api;
    this.#currentModel = currentModel;
    this.#showWhole = showWhole;
    byId("start-file").addEventListener("click", () => this.#start());
    byId("cancel-file").addEventListener("click", () => this.#running?.abort());
    byId("close-file").addEventListener("click", () => this.#close());
    byId("column").addEventListener("change", () => this.#prepare());
    byId("file-lines").addEventListener("change", () => this.#prepare());
    for (const format of Object.keys(TYPES)) {
      byId(`download-${format}`).addEventListener("click", () => this.#download(format));
    }
  }

  /** Read a file and show what is in it; start where nothing has to be asked. */
  async open(file) {
    if (this.#running) {
      this.#show({ problem: "Another file is being predicted. Cancel that first." });
      return;
    }
    this.#reset();
    byId("file").hidden = false;
    byId("file-name").textContent = file.name;
    byId("file-name").focus();
    try {
      this.#file = await readFile(file);
    } catch (error) {
      this.#show({ problem: sentence(error, file.name) });
      return;
    }
    this.#ask();
    this.#prepare();
    const isAsking = !byId("file-lines").hidden || !byId("file-column").hidden;
    if (!isAsking && this.#documents.length > 0) await this.#start();
  }

  #reset() {
    this.#file = null;
    this.#documents = [];
    this.#job = null;
    this.#show({});
    for (const id of ["file-lines", "file-column"]) byId(id).hidden = true;
    byId("file-facts").textContent = "";
  }

  #close() {
    this.#running?.abort();
    this.#reset();
    byId("file").hidden = true;
    byId("open-file").focus();
  }

  /** Ask what the file does not say: which column has the texts, or whether its lines are texts. */
  #ask() {
    const { kind, columns, rows } = this.#file;
    byId("file-lines").hidden = kind !== "lines" || rows.length === 1;
    byId("file-lines").querySelector("[value=lines]").checked = true;
    const names = textColumns(columns);
    byId("file-column").hidden = kind === "lines" || names.includes(TEXT_COLUMN);
    byId("column").replaceChildren(
      element("option", { value: "" }, "choose …"),
      ...names.map((name) => element("option", { value: name }, name)),
    );
  }

  /** Make the documents, with what was answered so far. */
  #prepare() {
    const { kind, columns, rows } = this.#file;
    const rowsCounted = count(rows.length, kind === "table" ? "row" : "line");
    byId("file-facts").textContent = `${rowsCounted}${kind === "lines" ? "" : `, columns: ${columns.join(", ")}`}`;
    const column = byId("file-column").hidden ? TEXT_COLUMN : byId("column").value;
    this.#documents = [];
    this.#job = null;
    if (column === "") {
      this.#show({});
      return;
    }
    if (this.#isWhole()) {
      this.#show({ start: "Predict the text" });
      return;
    }
    try {
      this.#documents = documentsOf(this.#file, column);
    } catch (error) {
      this.#show({ problem: sentence(error, this.#file.name) });
      return;
    }
    this.#show({ start: `Predict ${count(this.#documents.length, "text")}` });
  }

  #isWhole() {
    return !byId("file-lines").hidden && byId("file-lines").querySelector("[value=whole]").checked;
  }

  async #start() {
    if (this.#isWhole()) {
      const { text } = this.#file;
      this.#close();
      this.#showWhole(text);
      return;
    }
    const model = this.#currentModel();
    const texts = this.#documents.map(({ text }) => text);
    this.#job ??= new Job(this.#api, model.name, model.limits, texts);
    this.#running = new AbortController();
    this.#started = performance.now();
    const begin = this.#job.predictions.length;
    for (const id of ["file-lines", "file-column"]) byId(id).hidden = true;
    this.#show({ progress: this.#progress(begin) });
    byId("cancel-file").focus();
    try {
      await this.#job.run({
        signal: this.#running.signal,
        onProgress: () => this.#show({ progress: this.#progress(begin) }),
        onWait: (seconds) => this.#show({ progress: `The service is busy; trying again in ${Math.ceil(seconds)} s.` }),
      });
      this.#running = null;
      this.#show({ summary: this.#summary() });
      announce(this.#summary());
    } catch (error) {
      this.#running = null;
      if (this.#job === null) return; // closed
      const done = `${count(this.#job.predictions.length, "text")} of ${texts.length} done.`;
      const problem = error.name === "AbortError" ? "" : sentence(error, this.#file.name);
      this.#show({ problem, summary: `Stopped: ${done}`, start: "Continue" });
    }
  }

  #progress(begin) {
    const done = this.#job.predictions.length;
    const all = this.#documents.length;
    byId("progress").max = all;
    byId("progress").value = done;
    const seconds = ((performance.now() - this.#started) / 1000 / (done - begin)) * (all - done);
    const left = done > begin && seconds >= 1 ? `, about ${count(Math.ceil(seconds), "second")} left` : "";
    return `${count(done, "text").replace(/\D+$/, "")} of ${count(all, "text")}${left}`;
  }

  #summary() {
    const { predictions, versions } = this.#job;
    const parts = [`${count(predictions.length, "text")} predicted`];
    for (const action of ["accept", "review"]) {
      const n = predictions.filter((prediction) => prediction.action === action).length;
      if (n > 0) parts.push(`${percent(n / predictions.length)} to ${action}`);
    }
    const errors = predictions.filter(({ error }) => error !== undefined);
    if (errors.length > 0) parts.push(`${count(errors.length, "text")} without a prediction (see the column error)`);
    const replaced = versions.size > 1 ? " The model was replaced meanwhile; predict again for one model only." : "";
    return `${parts.join(", ")}.${replaced}`;
  }

  /** Show one state of the panel; what is not named is hidden. */
  #show({ problem = "", summary = "", progress = "", start = "" }) {
    showText(byId("file-problem"), problem);
    showText(byId("file-summary"), summary);
    showText(byId("start-file"), start);
    byId("progress-text").textContent = progress;
    byId("file-progress").hidden = progress === "";
    byId("cancel-file").hidden = progress === "";
    for (const format of Object.keys(TYPES)) byId(`download-${format}`).hidden = summary === "";
    showText(byId("csv-problem"), "");
  }

  #download(format) {
    const { name, delimiter } = this.#file;
    let content;
    try {
      // A spreadsheet that wrote semicolons reads semicolons.
      const written = delimiter === SEMICOLON ? SEMICOLON : COMMA;
      const { predictions } = this.#job;
      content = format === "csv" ? csvTable(this.#documents, predictions, written) : jsonLines(this.#documents, predictions);
    } catch (error) {
      showText(byId("csv-problem"), sentence(error, name));
      return;
    }
    const url = URL.createObjectURL(new Blob([content], { type: TYPES[format] }));
    element("a", { href: url, download: `${name.replace(SUFFIX, "")}.predicted.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), REVOKE_AFTER);
  }
}

/** Milliseconds until a downloaded file may be forgotten; the browser has begun to write it by then. */
const REVOKE_AFTER = 60_000;

/** Return the sentence of a problem; any other error is a fault of this page, and is reported on the console too. */
function sentence(error, name) {
  if (error instanceof Problem) return error.message;
  console.error(error);
  return `${name} could not be processed: ${error.message}`;
}
