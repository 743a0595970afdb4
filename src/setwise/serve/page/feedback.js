// The corrected set: labels are removed from the predicted one and added to it, and the result is sent.

import { byId, element, showText } from "./dom.js";
import { percent } from "./text.js";

/** Labels that are offered at once; more are found by typing. */
const MOST_OPTIONS = 50;

/** The part of the page that corrects the predicted set; `send(labels)` returns a promise. */
export class FeedbackPanel {
  #send;
  #predicted = [];
  #corrected = [];
  #labels = [];
  #marginals = new Map();
  #options = [];
  #current = -1;
  #isSent = false;
  #panel = byId("feedback");
  #list = byId("corrected");
  #input = byId("add-label");
  #box = byId("label-options");
  #button = byId("send-feedback");
  #undo = byId("undo-feedback");
  #status = byId("feedback-status");

  constructor(send) {
    this.#send = send;
    this.#input.addEventListener("input", () => this.#open());
    this.#input.addEventListener("click", () => this.#open());
    this.#input.addEventListener("keydown", (event) => this.#key(event));
    this.#input.addEventListener("blur", () => this.#close());
    this.#button.addEventListener("click", () => this.#submit());
    this.#undo.addEventListener("click", () => {
      this.#change(this.#predicted);
      this.#input.focus();
    });
  }

  /** Begin with a predicted set; `labels` are all labels of the model, and the map `marginals` has the probability of some. */
  show(predicted, labels, marginals) {
    this.#predicted = predicted;
    this.#labels = labels;
    this.#marginals = marginals;
    this.#panel.hidden = false;
    this.#input.value = "";
    this.#change(predicted);
  }

  hide() {
    this.#panel.hidden = true;
  }

  #change(corrected) {
    this.#corrected = corrected;
    this.#isSent = false;
    this.#status.textContent = "";
    this.#list.replaceChildren(...corrected.map((label) => this.#chip(label)));
    if (corrected.length === 0) this.#list.append(element("li", { className: "none" }, "no label"));
    this.#close();
    this.#update();
  }

  #chip(label) {
    const button = element("button", { type: "button", className: "remove", "aria-label": `Remove ${label}` }, "×");
    button.addEventListener("click", () => {
      const place = this.#corrected.indexOf(label);
      this.#change(this.#corrected.filter((other) => other !== label));
      (this.#list.querySelectorAll("button")[place] ?? this.#input).focus(); // not lost with the button
    });
    const isNew = !this.#predicted.includes(label);
    return element("li", { className: isNew ? "chip new" : "chip" }, element("span", {}, label), button);
  }

  #update() {
    const same = new Set([...this.#corrected, ...this.#predicted]).size === this.#predicted.length;
    const isChanged = !same || this.#corrected.length !== this.#predicted.length;
    this.#button.textContent = isChanged ? "Send the corrected set" : "Yes, send it as right";
    this.#button.disabled = this.#isSent;
    this.#undo.hidden = !isChanged || this.#isSent;
  }

  async #submit() {
    const sent = this.#corrected;
    this.#button.disabled = true;
    this.#status.textContent = "Sending …";
    try {
      await this.#send(sent, this.#predicted);
      if (this.#corrected !== sent) return; // another text, or another change
      this.#isSent = true;
      this.#status.textContent = "Stored. Thank you.";
    } catch (error) {
      if (this.#corrected === sent) this.#status.textContent = error.message;
    }
    this.#update();
  }

  // The list of labels: a combobox with a listbox, as the ARIA practices describe it.

  #open() {
    const typed = this.#input.value.trim().toLowerCase();
    const free = this.#labels.filter((label) => !this.#corrected.includes(label));
    const rank = (label) => (label.toLowerCase().startsWith(typed) ? 1 : 0) + (this.#marginals.get(label) ?? 0);
    const found = free.filter((label) => label.toLowerCase().includes(typed));
    this.#options = found.sort((a, b) => rank(b) - rank(a)).slice(0, MOST_OPTIONS);
    this.#box.replaceChildren(...this.#options.map((label, i) => this.#option(label, i)));
    if (found.length > MOST_OPTIONS) {
      this.#box.append(element("li", { className: "none", role: "presentation" }, "Type to find more."));
    } else if (found.length === 0) {
      this.#box.append(element("li", { className: "none", role: "presentation" }, "The model has no such label."));
    }
    this.#box.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    this.#move(typed && this.#options.length ? 0 : -1);
  }

  #option(label, i) {
    const probability = this.#marginals.get(label);
    const shown = element("li", { role: "option", id: `label-option-${i}`, "aria-selected": "false" });
    shown.append(element("span", {}, label));
    if (probability !== undefined) shown.append(element("span", { className: "number" }, percent(probability)));
    shown.addEventListener("pointerdown", (event) => event.preventDefault()); // the input keeps the focus
    shown.addEventListener("click", () => this.#add(label));
    return shown;
  }

  #close() {
    this.#box.hidden = true;
    this.#input.setAttribute("aria-expanded", "false");
    this.#move(-1);
  }

  #move(to) {
    this.#current = to;
    this.#box.querySelectorAll("[role=option]").forEach((option, i) => {
      option.setAttribute("aria-selected", String(i === to));
      if (i === to) option.scrollIntoView({ block: "nearest" });
    });
    if (to < 0) this.#input.removeAttribute("aria-activedescendant");
    else this.#input.setAttribute("aria-activedescendant", `label-option-${to}`);
  }

  #add(label) {
    this.#input.value = "";
    this.#change([...this.#corrected, label]);
    this.#input.focus();
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      if (this.#box.hidden) this.#open();
      const n = this.#options.length;
      if (n) this.#move(this.#current < 0 && step < 0 ? n - 1 : (this.#current + step + n) % n);
    } else if (event.key === "Enter" && this.#current >= 0) {
      event.preventDefault();
      this.#add(this.#options[this.#current]);
    } else if (event.key === "Escape") {
      if (this.#box.hidden) this.#input.value = "";
      this.#close();
    }
  }
}
