// The text with its mentions marked, and the queue of those to look at next.

import { pointOfUnit, unitsOfPoints } from "./offsets.js";
import { bdi, certainty, element, visible } from "./shown.js";

/** Draws a linked document; `choose(number)` is called with the mention that is clicked. */
export function drawText(place, document_, chosen, choose) {
  const { text } = document_;
  const units = unitsOfPoints(text);
  const parts = [];
  let done = 0;
  for (const [number, mention] of document_.mentions.entries()) {
    if (mention.start < done) {
      parts.push(marked(number, mention, `(${mention.text})`)); // inside or across the one before
      continue;
    }
    parts.push(text.slice(units[done], units[mention.start]));
    parts.push(marked(number, mention, text.slice(units[mention.start], units[mention.end])));
    done = mention.end;
  }
  parts.push(text.slice(units[done]));
  place.replaceChildren(...parts);

  function marked(number, mention, words) {
    const title = mention.entity == null ? "not linked" : visible(titleOf(mention));
    const button = element("button", {
      type: "button", className: `mention ${certainty(mention)}`, textContent: words,
      attributes: { "aria-pressed": String(number === chosen), "aria-label": `${words}: ${title}, ${certainty(mention)}`, "data-number": number },
    });
    button.addEventListener("click", () => choose(number));
    return button;
  }
}

/** What a mention's entity is called. */
export function titleOf(mention) {
  if (mention.title) return mention.title;
  return mention.candidates?.find((candidate) => candidate.id === mention.entity)?.title || mention.entity;
}

/** Numbers of the mentions nobody has looked at, the least certain first. */
export function inOrderOfDoubt(mentions) {
  return [...mentions.keys()]
    .filter((number) => !mentions[number].correction)
    .sort((one, other) => doubt(mentions[other]) - doubt(mentions[one]) || one - other);
}

function doubt(mention) {
  const [first, second] = mention.candidates ?? [];
  if (!first) return 0;
  return 1 - Math.abs(first.score - (second?.score ?? 0)); // near a tie is what a person can settle
}

export function drawQueue(place, mentions, chosen, choose) {
  place.replaceChildren(...inOrderOfDoubt(mentions).map((number) => {
    const mention = mentions[number];
    const answer = mention.entity == null ? "not linked" : titleOf(mention);
    const score = mention.score == null ? "" : ` ${mention.score.toFixed(2)}`;
    const button = element("button", { type: "button", attributes: { "aria-current": String(number === chosen) } },
      bdi(mention.text), " → ", bdi(answer), element("span", { className: "quiet" }, score));
    button.addEventListener("click", () => choose(number));
    return element("li", {}, button);
  }));
}

/** The span that is selected in the text, in code points; null if there is none. */
export function selectedSpan(place, text) {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!place.contains(range.commonAncestorContainer)) return null;
  const before = range.cloneRange();
  before.selectNodeContents(place);
  before.setEnd(range.startContainer, range.startOffset);
  const first = before.toString().length;
  const words = range.toString();
  const skipped = words.length - words.trimStart().length;
  const units = unitsOfPoints(text);
  const start = pointOfUnit(units, first + skipped);
  const end = pointOfUnit(units, first + skipped + words.trim().length);
  return end > start ? { start, end } : null;
}
