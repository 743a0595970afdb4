// Texts, numbers and what to call them: pure functions, without the page.

/** Return the text with every half of a broken surrogate pair replaced, which no JSON reader accepts. */
export function wellFormed(text) {
  return text.replace(/[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g, "\uFFFD");
}

/** Return the number of Unicode characters, which is what the service counts. */
export function countCharacters(text) {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) pairs += isPair(text, i);
  return text.length - pairs;
}

/** Return the positions in a JavaScript string (UTF-16) of sorted positions that count Unicode characters. */
export function utf16Positions(text, positions) {
  const found = [];
  let character = 0;
  let unit = 0;
  for (const position of positions) {
    for (; character < position && unit < text.length; character++) unit += isPair(text, unit) ? 2 : 1;
    found.push(unit);
  }
  return found;
}

function isPair(text, i) {
  return isBetween(text.charCodeAt(i), 0xd800, 0xdbff) && isBetween(text.charCodeAt(i + 1), 0xdc00, 0xdfff);
}

function isBetween(value, low, high) {
  return value >= low && value <= high;
}

/**
 * Cut a text where the weight of its features changes.
 *
 * Features that overlap, such as a word and a pair of words, add up. Returns pieces `{text, share}` that make the text
 * when they are joined; `share` is the weight relative to the largest one, from -1 to 1, and 0 outside of all features.
 */
export function highlightedPieces(text, features) {
  const changes = new Map();
  const add = (position, weight) => changes.set(position, (changes.get(position) ?? 0) + weight);
  for (const { spans, contribution } of features) {
    for (const [begin, end] of spans) {
      add(begin, contribution);
      add(end, -contribution);
    }
  }
  const characters = [...changes.keys()].sort((a, b) => a - b);
  const units = utf16Positions(text, characters);
  const pieces = [];
  let start = 0;
  let weight = 0;
  const cut = (end) => {
    if (end > start) pieces.push({ text: text.slice(start, end), share: weight });
    start = end;
  };
  characters.forEach((character, i) => {
    cut(units[i]);
    weight += changes.get(character);
    if (Math.abs(weight) < ROUNDING) weight = 0;
  });
  weight = 0;
  cut(text.length);
  const peak = Math.max(...pieces.map((piece) => Math.abs(piece.share)), 0) || 1;
  return pieces.map((piece) => ({ ...piece, share: piece.share / peak }));
}

/** What is left of a weight that was added and taken away again is at most this. */
const ROUNDING = 1e-9;

/** Least probability of the set being exactly right, and how to say it. */
const SURENESS = [
  [0.95, "Almost certainly right"],
  [0.8, "Very likely right"],
  [0.6, "Probably right"],
  [0.4, "As likely right as wrong"],
  [0.2, "Probably not quite right"],
  [0, "Very likely not quite right"],
];

/** Return in words how sure a set is, from the probability that it is exactly right. */
export function surenessInWords(probability) {
  return SURENESS.find(([least]) => probability >= least)[1];
}

/** Return a share as a percentage; what is not quite none or all is not rounded to it. */
export function percent(share) {
  const rounded = Math.round(100 * share);
  if (share > 0 && rounded === 0) return "< 1\u00a0%";
  if (share < 1 && rounded === 100) return "> 99\u00a0%";
  return `${rounded}\u00a0%`;
}

/** Return an F1 with two digits; what is not quite 1 is not rounded to it. */
export function score(value) {
  const rounded = value.toFixed(2);
  return value < 1 && rounded === "1.00" ? "> 0.99" : rounded;
}

/** Return a difference with its sign, with a minus that is as wide as the plus. */
export function signed(value) {
  const text = Math.abs(value).toFixed(2);
  if (Number(text) === 0) return "±0.00";
  return (value < 0 ? "\u2212" : "+") + text;
}

const NUMBERS = new Intl.NumberFormat("en");

/** Return a count with thousands separated, and its noun in the right number. */
export function count(number, noun) {
  return `${NUMBERS.format(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** Return names in one line, joined by commas. */
export function listed(names) {
  return names.length ? names.join(", ") : "no label";
}
