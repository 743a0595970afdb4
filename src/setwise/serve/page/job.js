// The prediction of many texts in the background: batches within the limits of the service, one after the other.

import { predictionBody } from "./api.js";
import { count, countCharacters } from "./text.js";

/** Larger batches are hardly faster, and progress would be seen less often. */
const LARGEST_BATCH = 256;

const encoder = new TextEncoder();

/** The predictions of a list of texts; `run` continues where it was stopped. */
export class Job {
  predictions = [];
  /** Model versions that predicted, in the order they came: more than one where the model was replaced. */
  versions = new Set();
  #api;
  #model;
  #texts;
  #limits;

  constructor(api, model, limits, texts) {
    this.#api = api;
    this.#model = model;
    this.#limits = limits;
    this.#texts = texts;
  }

  /** Predict all texts that have no prediction yet; `onProgress()` is called after each batch. */
  async run({ signal, onProgress, onWait }) {
    while (this.predictions.length < this.#texts.length) {
      const batch = nextBatch(this.#texts, this.predictions.length, this.#limits);
      if (batch.error === undefined) {
        const answer = await this.#api.predict(this.#model, batch.jsonTexts, {}, { signal, onWait });
        this.versions.add(answer.version);
        this.predictions.push(...answer.predictions);
      } else {
        this.predictions.push({ error: batch.error });
      }
      onProgress();
    }
  }
}

/** Return the next texts that fit into one request, as JSON; or the error of the first one, which never fits. */
export function nextBatch(texts, start, limits) {
  const jsonTexts = [];
  let bytes = encoder.encode(predictionBody([], {})).length;
  const most = Math.min(limits.max_texts, LARGEST_BATCH);
  for (const text of texts.slice(start, start + most)) {
    const json = JSON.stringify(text);
    bytes += encoder.encode(json).length + 1; // and a comma
    const isTooLong = text.length > limits.max_text_length && countCharacters(text) > limits.max_text_length;
    if (isTooLong || bytes > limits.max_body_bytes) {
      if (jsonTexts.length > 0) break;
      const limit = isTooLong ? count(limits.max_text_length, "character") : count(limits.max_body_bytes, "byte");
      return { error: `The text is longer than the ${limit} that the service takes.` };
    }
    jsonTexts.push(json);
  }
  return { jsonTexts };
}
