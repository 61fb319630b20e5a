// The text with its mentions marked, and the queue of mentions to review.

import { unitsOfPoints } from "./offsets.js";
import { bdi, certainty, element, idAfter, visible } from "./shown.js";

/** Draws a linked document. The text nodes below `place` are the text, each character once. */
export function drawText(place, { text, mentions }) {
  const units = unitsOfPoints(text);
  const parts = [];
  let done = 0;
  for (const [number, mention] of mentions.entries()) {
    const mark = element("span", { className: "mention", tabIndex: 0, attributes: { role: "button", "data-number": number } });
    if (mention.start < done) {
      mark.dataset.words = mention.text; // inside or across the one before: drawn by the style sheet
    } else {
      parts.push(text.slice(units[done], units[mention.start]));
      mark.textContent = text.slice(units[mention.start], units[mention.end]);
      done = mention.end;
    }
    dress(mark, mention);
    parts.push(mark);
  }
  parts.push(text.slice(units[done]));
  place.replaceChildren(...parts);
}

/** Marks the chosen mention and no other; returns its mark. */
export function markChosen(place, mentions, chosen) {
  for (const other of place.querySelectorAll('[aria-pressed="true"]')) other.ariaPressed = "false";
  const mark = place.querySelector(`[data-number="${chosen}"]`);
  dress(mark, mentions[chosen]);
  mark.ariaPressed = "true";
  return mark;
}

function dress(mark, mention) {
  const title = mention.entity == null ? "not linked" : visible(titleOf(mention));
  mark.className = `mention ${certainty(mention)}`;
  mark.ariaPressed = "false";
  mark.ariaLabel = `${mention.text}: ${title}, ${certainty(mention)}`;
}

/** The title of a mention's entity. */
export function titleOf(mention) {
  if (mention.title) return mention.title;
  return mention.candidates?.find((candidate) => candidate.id === mention.entity)?.title || mention.entity;
}

/** The mentions in text order. */
export function inOrder(mentions) {
  return mentions.sort((one, other) => one.start - other.start || one.end - other.end);
}

/** The mentions of a text that was linked again, and which of them changed, came or went: those that were there are the
 * same objects, and what was corrected or added stays as it is. */
export function merged(before, after) {
  const place = (mention) => `${mention.start}:${mention.end}`;
  const known = new Map(before.map((one) => [place(one), one]));
  const isReviewed = (one) => one.correction || one.isAdded;
  const changed = new Set();
  const mentions = after.map((fresh) => {
    const old = known.get(place(fresh));
    known.delete(place(fresh));
    if (!old || (!isReviewed(old) && old.entity !== fresh.entity)) changed.add(old ?? fresh);
    if (!old) return fresh;
    return isReviewed(old) ? old : Object.assign(old, fresh);
  });
  for (const gone of known.values()) {
    if (isReviewed(gone)) mentions.push(gone);
    else changed.add(gone);
  }
  return { mentions: inOrder(mentions), changed };
}

/** Numbers of the mentions that are not reviewed yet, least certain first. */
export function inOrderOfDoubt(mentions) {
  return [...mentions.keys()]
    .filter((number) => !mentions[number].correction)
    .sort((one, other) => doubt(mentions[other]) - doubt(mentions[one]) || one - other);
}

function doubt(mention) {
  const [first, second] = mention.candidates ?? [];
  if (!first) return 0;
  return 1 - Math.abs(first.score - (second?.score ?? 0)); // a near tie is where a person helps most
}

const MOST_QUEUED = 100; // mentions that are listed at once

/** Draws the list of the least certain; `choose(number)` is called with the one that is clicked. */
export function drawQueue(place, mentions, chosen, choose) {
  const order = inOrderOfDoubt(mentions);
  const rest = order.length > MOST_QUEUED ? element("li", { className: "quiet" }, `and ${(order.length - MOST_QUEUED).toLocaleString()} more`) : "";
  place.replaceChildren(...order.slice(0, MOST_QUEUED).map((number) => {
    const mention = mentions[number];
    const answer = mention.entity == null ? "not linked" : titleOf(mention);
    const score = mention.score == null ? "" : ` ${mention.score.toFixed(2)}`;
    const button = element("button", { type: "button", attributes: { "aria-current": String(number === chosen) } },
      bdi(mention.text), " → ", bdi(answer), mention.entity == null ? "" : idAfter(answer, mention.entity), element("span", { className: "quiet" }, score));
    button.addEventListener("click", () => choose(number));
    return element("li", {}, button);
  }), rest);
}
