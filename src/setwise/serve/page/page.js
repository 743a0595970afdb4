// The page: a text is predicted as soon as the typing pauses; answers to earlier texts are discarded.

import { Api, Problem } from "./api.js";
import { announce, byId, element, showText } from "./dom.js";
import { FeedbackPanel } from "./feedback.js";
import { FilePanel } from "./file_panel.js";
import { ResultView } from "./result.js";
import { count, countCharacters, listed, percent, surenessInWords, wellFormed } from "./text.js";

/** Milliseconds without a key until the text is predicted. */
const PAUSE = 300;
/** Likely sets to ask for; the predicted one may be among them. */
const SETS = 6;
/** Labels below this probability are not asked for, since a model may have thousands. */
const LEAST_PROBABILITY = 0.001;

const api = new Api(askForToken);
const result = new ResultView();
const feedback = new FeedbackPanel((labels, predicted) =>
  api.sendFeedback(model.name, { text: predictedText, labels, predicted }),
);
const files = new FilePanel(
  api,
  () => model,
  (text) => {
    textBox.value = text;
    textChanged();
    textBox.focus();
  },
);

const textBox = byId("text");
let model = null;
let predictedText = "";
let pause = 0;
let asking = new AbortController();
let tryAgain = () => {};

// Prediction of the text

function textChanged() {
  clearTimeout(pause);
  asking.abort();
  result.clear(textBox.value);
  feedback.hide();
  const isEmpty = textBox.value.trim() === "";
  byId("clear").disabled = textBox.value === "";
  byId("length").textContent = textBox.value ? `${count(countCharacters(textBox.value), "character")}.` : "";
  showProblem("");
  if (isEmpty) {
    setBusy(false);
    result.empty();
    announce("");
  } else {
    setBusy(true);
    pause = setTimeout(predict, PAUSE);
  }
}

async function predict() {
  clearTimeout(pause);
  const text = wellFormed(textBox.value);
  if (model === null || text.trim() === "") return;
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const how = { signal };
  const limit = model.limits.max_text_length;
  if (countCharacters(text) > limit) {
    setBusy(false);
    showProblem(`The text is longer than the ${count(limit, "character")} that the service takes.`);
    return;
  }
  setBusy(true);
  try {
    const options = { top: SETS, marginals: LEAST_PROBABILITY };
    const explained = api.explain(model.name, text, {}, how);
    explained.catch(() => {}); // awaited below, unless the prediction fails first
    const answer = await api.predict(model.name, [JSON.stringify(text)], options, how);
    signal.throwIfAborted();
    const prediction = surestFirst(answer.predictions[0]);
    predictedText = text;
    result.show(text, prediction, model);
    if (model.feedback) feedback.show(prediction.labels, model.labels, prediction.marginals);
    announce(inOneSentence(prediction));
    const explanation = await explained;
    signal.throwIfAborted();
    result.explain(explanation);
    setBusy(false);
  } catch (error) {
    if (error.name === "AbortError") return; // the text has changed, and the next prediction shows that it is busy
    setBusy(false);
    showProblem(sentence(error), predict);
  }
}

/** Return a prediction with its labels in the order of their probabilities, which become a map. */
function surestFirst(prediction) {
  const marginals = new Map(Object.entries(prediction.marginals ?? {}));
  const labels = [...prediction.labels].sort((a, b) => (marginals.get(b) ?? 0) - (marginals.get(a) ?? 0));
  return { ...prediction, labels, marginals };
}

function inOneSentence({ labels, confidence, action }) {
  const sure = confidence === null ? "" : ` ${surenessInWords(confidence)}, ${percent(confidence)}.`;
  return `Predicted: ${listed(labels)}.${sure}${action ? ` To ${action}.` : ""}`;
}

function setBusy(isBusy) {
  byId("result").setAttribute("aria-busy", String(isBusy));
  byId("result").closest("section").classList.toggle("busy", isBusy);
}

// Problems

function showProblem(text, again = null) {
  showText(byId("problem-text"), text);
  byId("problem").hidden = text === "";
  byId("try-again").hidden = again === null;
  tryAgain = again;
}

/** Return the sentence of a problem; any other error is a fault of this page, and is reported on the console too. */
function sentence(error) {
  if (error instanceof Problem) return error.message;
  console.error(error);
  return `The page has a fault: ${error.message}`;
}

function askForToken(isWrong) {
  const form = byId("token-form");
  form.querySelector("label").textContent = isWrong
    ? "The service does not accept this token. Please try another."
    : "This service asks for a token.";
  form.hidden = false;
  byId("token").focus();
  return new Promise((resolve) => {
    form.addEventListener(
      "submit",
      (event) => {
        event.preventDefault();
        form.hidden = true;
        resolve(byId("token").value);
        byId("token").value = "";
        textBox.focus();
      },
      { once: true },
    );
  });
}

// Models

async function start() {
  try {
    const models = await api.models();
    byId("model").replaceChildren(...models.map(({ name }) => element("option", { value: name }, name)));
    byId("model").disabled = models.length < 2;
    await chooseModel();
  } catch (error) {
    showProblem(sentence(error), () => (started = start()));
  }
}

async function chooseModel() {
  const name = byId("model").value;
  try {
    const described = await api.model(name);
    if (byId("model").value !== name) return; // another one was chosen meanwhile
    model = described;
    showFacts();
    textChanged();
  } catch (error) {
    showProblem(sentence(error), chooseModel);
  }
}

function showFacts() {
  const facts = [
    ["Name", model.name],
    ["Version", model.version],
    ["Labels", String(model.n_labels)],
    ["Prediction", model.recipe],
    ...Object.entries(model.statistics).map(([name, value]) => [name.replace(/^n_/, "").replaceAll("_", " "), value]),
  ];
  const shown = facts.filter(([, value]) => ["string", "number"].includes(typeof value));
  byId("about-title").textContent = `About the model ${model.name}: ${count(model.n_labels, "label")}`;
  byId("about-facts").replaceChildren(
    ...shown.flatMap(([name, value]) => [
      element("dt", {}, name),
      element("dd", {}, typeof value === "number" ? value.toLocaleString("en") : value),
    ]),
    element("dt", {}, "All labels"),
    element("dd", { className: "names" }, listed(model.labels)),
  );
}

// Files

async function openFile(chosen) {
  await started; // a file may come sooner than the description of the model
  if (model !== null && chosen !== undefined) files.open(chosen);
}

function hasFiles(event) {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

function showDropTarget(event) {
  if (!hasFiles(event)) return; // text that is dragged goes where it is dropped
  event.preventDefault();
  byId("drop").hidden = false;
}

function hideDropTarget(event) {
  if (event.type === "dragleave" && event.relatedTarget !== null) return; // to another element of the page
  byId("drop").hidden = true;
}

textBox.addEventListener("input", textChanged);
byId("clear").addEventListener("click", () => {
  textBox.value = "";
  textChanged();
  textBox.focus();
});
byId("try-again").addEventListener("click", () => {
  const again = tryAgain;
  showProblem("");
  again();
});
byId("model").addEventListener("change", chooseModel);
byId("open-file").addEventListener("click", () => byId("choose-file").click());
byId("choose-file").addEventListener("change", (event) => {
  openFile(event.target.files[0]);
  event.target.value = ""; // so that the same file can be chosen again
});
window.addEventListener("dragenter", showDropTarget);
window.addEventListener("dragover", showDropTarget);
window.addEventListener("dragleave", hideDropTarget);
window.addEventListener("drop", (event) => {
  hideDropTarget(event);
  if (!hasFiles(event)) return;
  event.preventDefault();
  openFile(event.dataTransfer.files[0]);
});
window.addEventListener("keydown", (event) => event.key === "Escape" && result.unpin());

let started = start();
