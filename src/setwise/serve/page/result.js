// What was predicted: the set, how sure it is, the labels with their words, and other sets.

import { byId, element, meter, showText } from "./dom.js";
import { highlightedPieces, listed, percent, score, signed, surenessInWords } from "./text.js";

/** A text with a smaller share of known words is not like those that the model has learned from. */
const FEW_KNOWN_WORDS = 0.6;
/** The weakest highlight, so that a word that counts a little is seen at all. */
const LEAST_SHARE = 0.15;
const WORDS_LISTED = 8;
const WAYS = { for: "for it", against: "against it" };

/** The part of the page that shows a prediction, and the text with the words of one label highlighted. */
export class ResultView {
  #text = "";
  #marginals = new Map();
  #reasons = new Map();
  #pinned = null;
  #mirror = byId("mirror");
  #paper = this.#mirror.closest(".paper");
  #words = byId("words");
  #table = byId("labels");

  constructor() {
    // On narrow pages they lie over the end of the page. There is no click, since the focus that is lost changes them.
    this.#words.addEventListener("pointerup", () => this.unpin());
  }

  /** Show a prediction of the model for a text; the words come with `explain`. */
  show(text, prediction, model) {
    this.clear(text);
    this.#marginals = prediction.marginals;
    byId("empty").hidden = true;
    byId("result").hidden = false;
    this.#showSet(prediction.labels);
    this.#showAction(prediction.action);
    this.#showSureness(prediction, model);
    this.#showLabels(labelRows(prediction));
    this.#showSets(prediction);
  }

  /** Add the reasons of an explanation: the words of each label, and what changing it would do. */
  explain({ reasons, stated_expected_f1: stated }) {
    this.#reasons = new Map(reasons.map((reason) => [reason.label, reason]));
    this.#highlight(null);
    this.#showLabels(
      reasons.map((reason) => ({
        label: reason.label,
        isPredicted: reason.predicted,
        probability: this.#marginals.get(reason.label) ?? reason.probability,
        change: [reason.expected_f1_without, stated].includes(null) ? null : reason.expected_f1_without - stated,
        words: wordsOf(reason),
      })),
    );
  }

  /** Begin with a text that nothing is known about yet. */
  clear(text) {
    this.#text = text;
    this.#reasons = new Map();
    this.#pinned = null;
    this.#highlight(null);
  }

  /** Show that there is no text to predict. */
  empty() {
    byId("empty").hidden = false;
    byId("result").hidden = true;
  }

  /** Give up the label that a click has pinned. */
  unpin() {
    this.#pin(null);
  }

  #showSet(labels) {
    const chips = labels.map((label) => this.#underPointer(element("li", { className: "chip" }, label), label));
    byId("predicted").replaceChildren(...(chips.length ? chips : [element("li", { className: "none" }, "no label")]));
  }

  #showAction(action) {
    const badge = byId("action");
    showText(badge, action ? { accept: "Accept", review: "Review" }[action] : "");
    badge.dataset.action = action ?? "";
  }

  #showSureness(prediction, model) {
    const { confidence, expected_f1: expected, coverage } = prediction;
    const { automation } = model;
    const lines = [];
    const mark = (metric) => (automation?.metric === metric ? automation.threshold : null);
    if (confidence !== null) {
      const text = percent(confidence);
      lines.push(["Exactly right", meter("Probability that the set is exactly right", confidence, text, mark("accuracy")), text]);
    }
    if (expected !== null) {
      lines.push(["Expected F1", meter("Expected F1", expected, score(expected), mark("f1")), score(expected)]);
    }
    if (coverage !== null) {
      lines.push(["Known words", meter("Words that the model knows", coverage, percent(coverage)), percent(coverage)]);
    }
    byId("sure").replaceChildren(
      ...(confidence === null ? [] : [element("p", { className: "words-for-it" }, surenessInWords(confidence))]),
      ...lines.map(([name, bar, number]) =>
        element("p", { className: "line" }, element("span", {}, name), bar, element("span", { className: "number" }, number)),
      ),
    );
    showText(byId("sure-note"), surenessNote(prediction, automation));
  }

  #showLabels(rows) {
    const focused = document.activeElement?.closest("#labels tr")?.dataset.label;
    const groups = [
      ["In the set", rows.filter((row) => row.isPredicted)],
      ["Next most likely", rows.filter((row) => !row.isPredicted)],
    ];
    for (const body of [...this.#table.tBodies]) body.remove();
    for (const [title, members] of groups) {
      if (members.length === 0) continue;
      const heading = element("tr", { className: "group" }, element("th", { scope: "rowgroup", colSpan: 4 }, title));
      this.#table.append(element("tbody", {}, heading, ...members.map((row) => this.#labelRow(row))));
    }
    if (focused !== undefined) this.#rowOf(focused)?.querySelector("button").focus();
  }

  #labelRow({ label, isPredicted, probability, change = null, words = "" }) {
    const button = element("button", { type: "button", "aria-pressed": "false" }, label);
    const name = element("th", { scope: "row" }, button);
    if (words) {
      const id = `words-${this.#reasonNumber(label)}`;
      button.setAttribute("aria-describedby", id);
      name.append(element("span", { id, hidden: true }, words)); // told with the button, and not with every cell
    }
    const cells = [name];
    if (probability === null) {
      cells.push(element("td", { colSpan: 2 }, ""));
    } else {
      const text = percent(probability);
      cells.push(
        element("td", {}, meter(`Probability of ${label}`, probability, text)),
        element("td", { className: "number" }, text),
      );
    }
    const changed = change === null ? "" : signed(change);
    const cell = element("td", { className: "number change" }, changed);
    if (change !== null) cell.title = `${isPredicted ? "Removing" : "Adding"} it changes the expected F1 by ${changed}.`;
    const row = element("tr", {}, ...cells, cell);
    row.dataset.label = label;
    button.addEventListener("focus", () => this.#highlight(label));
    button.addEventListener("blur", () => this.#highlight(this.#pinned));
    button.addEventListener("click", () => this.#pin(this.#pinned === label ? null : label));
    return this.#underPointer(row, label);
  }

  /** Highlight the words of a label while the mouse is over an element; a finger taps its button instead. */
  #underPointer(shown, label) {
    const onMouse = (action) => (event) => event.pointerType === "mouse" && action();
    shown.addEventListener("pointerenter", onMouse(() => this.#highlight(label, true)));
    shown.addEventListener("pointerleave", onMouse(() => this.#highlight(this.#pinned)));
    return shown;
  }

  #reasonNumber(label) {
    return [...this.#reasons.keys()].indexOf(label);
  }

  #rowOf(label) {
    return [...this.#table.rows].find((row) => row.dataset.label === label);
  }

  #pin(label) {
    this.#pinned = label;
    for (const row of this.#table.rows) {
      row.querySelector("button")?.setAttribute("aria-pressed", String(label !== null && row.dataset.label === label));
    }
    this.#highlight(label);
    const first = this.#mirror.querySelector("mark");
    if (first) this.#paper.scrollTop = first.offsetTop - this.#paper.clientHeight / 3; // the page itself stays
  }

  /** Show the words of a label in the text and below it; null shows none. On narrow pages, the mouse alone shows none. */
  #highlight(label, isUnderMouse = false) {
    const reason = this.#reasons.get(label);
    for (const row of this.#table.rows) row.classList.toggle("current", label !== null && row.dataset.label === label);
    this.#mirror.replaceChildren(...(reason ? highlightedPieces(this.#text, reason.features).map(markOf) : [this.#text]));
    this.#words.classList.toggle("shown", reason !== undefined && !isUnderMouse);
    this.#words.replaceChildren(...(reason ? wordLines(reason) : this.#reasons.size > 0 ? [hint()] : []));
  }

  #showSets({ labels, alternatives }) {
    const predicted = new Set(labels);
    const others = (alternatives ?? []).filter(
      (other) => other.labels.length !== predicted.size || !other.labels.every((label) => predicted.has(label)),
    );
    byId("others").hidden = others.length === 0;
    const isNew = others.length > 0 && others.length === alternatives.length;
    byId("others-note").textContent = isNew ? " The predicted set is none of the likeliest of them." : "";
    byId("other-sets").replaceChildren(
      ...others.map(({ labels: names, probability, expected_f1: expected }) =>
        element(
          "tr",
          {},
          element("th", { scope: "row", className: names.length ? "" : "none" }, listed(names)),
          element("td", {}, meter("Probability of the set", probability, percent(probability))),
          element("td", { className: "number" }, percent(probability)),
          element("td", { className: "number change" }, expected === null ? "" : score(expected)),
        ),
      ),
    );
  }
}

/** Return the rows of the predicted labels as they can be shown before the explanation comes. */
function labelRows({ labels, marginals }) {
  return labels.map((label) => ({ label, isPredicted: true, probability: marginals.get(label) ?? null }));
}

/** Return what to say below the numbers: about the threshold, and about unknown words. */
function surenessNote({ action, confidence, coverage }, automation) {
  const sentences = [];
  if (action && automation) sentences.push(automationNote(automation));
  if (confidence === null) sentences.push("This model has not learned how sure it is.");
  if (coverage !== null && coverage < FEW_KNOWN_WORDS) {
    sentences.push(`The model knows only ${percent(coverage)} of the words, so trust it less.`);
  }
  return sentences.join(" ");
}

function automationNote({ metric, target, threshold }) {
  const promise = metric === "f1" ? `a mean F1 of ${score(target)}` : `${percent(target)} of them exactly right`;
  if (threshold === null) return `Every set is to be reviewed: no threshold of this model promises ${promise}.`;
  const least = metric === "f1" ? `an expected F1 of ${score(threshold)}` : percent(threshold);
  return `Sets from ${least} up are accepted, which promises ${promise}.`;
}

function markOf({ text, share }) {
  if (share === 0) return document.createTextNode(text);
  const mark = element("mark", { className: share > 0 ? "for" : "against" }, text);
  mark.style.setProperty("--share", Math.max(Math.abs(share), LEAST_SHARE).toFixed(3));
  return mark;
}

/** Return the features for and against a label, the strongest first. */
function sides({ features }) {
  const strongest = [...features].sort((a, b) => Math.abs(b.contribution) - Math.abs(a.contribution));
  return {
    for: strongest.filter(({ contribution }) => contribution > 0).slice(0, WORDS_LISTED),
    against: strongest.filter(({ contribution }) => contribution < 0).slice(0, WORDS_LISTED),
  };
}

/** Return the strongest words of a label in one sentence, for who does not see them in the text. */
function wordsOf(reason) {
  const found = sides(reason);
  const parts = Object.entries(WAYS)
    .filter(([side]) => found[side].length > 0)
    .map(([side, way]) => `Words ${way}: ${found[side].map(({ feature }) => feature).join(", ")}.`);
  return parts.join(" ") || "No word of the text speaks for or against it.";
}

function hint() {
  return element("p", { className: "hint" }, "Point at a label, or move to it with the Tab key, to see its words.");
}

/** Return the lines below the text: the words of a label with what they count. */
function wordLines(reason) {
  const found = sides(reason);
  const lines = Object.entries(WAYS).map(([side, way]) => [
    way,
    found[side].map(({ feature, contribution }) =>
      element("span", { className: "word" }, element("mark", { className: side }, feature), ` ${signed(contribution)}`),
    ),
  ]);
  if (reason.other_labels) {
    const effect = signed(reason.other_labels);
    lines.push(["with it", [element("span", { className: "word" }, `the other labels of the set ${effect}`)]]);
  }
  const title = element("p", { className: "label" }, reason.label);
  const shown = lines.filter(([, words]) => words.length > 0);
  if (shown.length === 0) return [title, element("p", {}, "No word of the text speaks for or against it.")];
  return [
    title,
    ...shown.map(([way, words]) =>
      element("p", { className: "line" }, element("span", { className: "way" }, way), element("span", {}, ...words)),
    ),
  ];
}
