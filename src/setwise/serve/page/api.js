// Requests to the service that the page came from, with its errors as one sentence.

const BUSY = 503;
const UNAUTHORIZED = 401;
/** How often a request is sent that the service was too busy for. */
const MAX_TRIES = 10;
/** Seconds to wait where a busy service does not say how long. */
const USUAL_WAIT = 1;
/** The service may ask to wait longer, but someone is looking at the page. */
const LONGEST_WAIT = 30;

/** An error whose message is one sentence for the user. */
export class Problem extends Error {
  constructor(message, status = 0) {
    super(message);
    this.name = "Problem";
    this.status = status;
  }
}

/** The service: `askForToken(isWrong)` returns a promise of the token where the service wants one. */
export class Api {
  #askForToken;
  #token = "";
  #asked = null;

  constructor(askForToken) {
    this.#askForToken = askForToken;
  }

  async models() {
    return (await this.#request("v1/models")).models;
  }

  model(name) {
    return this.#request(path(name));
  }

  /** Predict the texts; each comes as JSON already, because the size of the request was counted in it. */
  predict(name, jsonTexts, options, how) {
    return this.#request(path(name, "predict"), { body: predictionBody(jsonTexts, options), ...how });
  }

  async explain(name, text, options, how) {
    const answer = await this.#request(path(name, "explain"), { body: JSON.stringify({ text, ...options }), ...how });
    return answer.explanations[0];
  }

  sendFeedback(name, feedback) {
    return this.#request(path(name, "feedback"), { body: JSON.stringify(feedback) });
  }

  /**
   * Send a request and return the JSON of the answer.
   *
   * While the service is busy, it is sent again; `onWait(seconds)` is told so. `signal` cancels it, also while it waits.
   */
  async #request(address, { body, signal, onWait = () => {} } = {}) {
    for (let tries = 1; ; tries++) {
      const token = this.#token;
      const response = await send(address, body, token, signal);
      if (response.ok) return answerOf(response);
      if (response.status === UNAUTHORIZED) {
        await this.#newToken(token);
        signal?.throwIfAborted();
      } else if (response.status === BUSY && tries < MAX_TRIES) {
        const seconds = secondsToWait(response.headers.get("Retry-After"));
        onWait(seconds);
        await sleep(seconds, signal);
      } else {
        throw await problemOf(response);
      }
    }
  }

  /** Ask for a token, once for all requests that wait for it. */
  async #newToken(refused) {
    if (refused !== this.#token) return; // another request has got a new one already
    this.#asked ??= this.#askForToken(refused !== "");
    this.#token = await this.#asked;
    this.#asked = null;
  }
}

/** Return the body of a request for predictions. */
export function predictionBody(jsonTexts, options) {
  const begin = JSON.stringify({ ...options, texts: [] }).slice(0, -"]}".length);
  return `${begin}${jsonTexts.join(",")}]}`;
}

/** Return how many seconds a header `Retry-After` asks for, which is a number or a date. */
export function secondsToWait(header, now = Date.now()) {
  const seconds = /^\d+$/.test(header ?? "") ? Number(header) : (Date.parse(header) - now) / 1000;
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), LONGEST_WAIT) : USUAL_WAIT;
}

function path(name, what = "") {
  return `v1/models/${encodeURIComponent(name)}${what && `/${what}`}`;
}

async function send(address, body, token, signal) {
  const headers = { Accept: "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  try {
    return await fetch(address, { method: body === undefined ? "GET" : "POST", headers, body, signal });
  } catch (error) {
    throw reached(error);
  }
}

async function answerOf(response) {
  try {
    return await response.json();
  } catch (error) {
    if (error instanceof SyntaxError) throw new Problem("The service sent an answer that is not JSON.");
    throw reached(error);
  }
}

/** Return the error to throw for one of `fetch`, which has a cancellation or no connection. */
function reached(error) {
  if (error.name === "AbortError") return error;
  return new Problem("The service cannot be reached. Check that it runs, and try again.");
}

async function problemOf(response) {
  const problem = await response.json().catch(() => ({}));
  const sentence = problem.detail || problem.title || `The service answered with the status ${response.status}.`;
  return new Problem(sentence, response.status);
}

function sleep(seconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, 1000 * seconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
