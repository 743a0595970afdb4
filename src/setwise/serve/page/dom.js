// Elements of the page. Names and texts are only ever put in as text, never as HTML.

/** Return the element with an id. */
export function byId(id) {
  return document.getElementById(id);
}

/** Return a new element with properties, `aria-*`, `data-*` and other attributes, and children (text or elements). */
export function element(tag, properties = {}, ...children) {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in created) created[name] = value;
    else created.setAttribute(name, value);
  }
  created.append(...children);
  return created;
}

/** Show an element with a text, or hide it where there is none. */
export function showText(shown, text) {
  shown.textContent = text;
  shown.hidden = text === "";
}

/** Have a sentence read out by screen readers, once they have finished what they say. */
export function announce(sentence) {
  byId("announcement").textContent = sentence;
}

/** Return a bar that shows a share of one; `mark` is where a line crosses it. */
export function meter(name, share, text, mark = null) {
  const bar = element("span", {
    className: "meter",
    role: "meter",
    "aria-label": name,
    "aria-valuemin": "0",
    "aria-valuemax": "1",
    "aria-valuenow": share.toFixed(3),
    "aria-valuetext": text,
  });
  bar.style.setProperty("--share", share.toFixed(4));
  if (mark !== null) {
    bar.style.setProperty("--mark", mark.toFixed(4));
    bar.append(element("span", { className: "mark" }));
  }
  return bar;
}
