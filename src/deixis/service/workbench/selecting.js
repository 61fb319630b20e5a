// The selection in the text, by mouse, touch or keyboard: the span of a mention to add.

import { pointOfUnit, unitsOfPoints } from "./offsets.js";

const NEAR = 500; // units in which the next word is searched
const WORDS = new Intl.Segmenter(undefined, { granularity: "word" });

/** Whether words of the text are selected. */
export function isSelected(place) {
  return selectedUnits(place) !== null && getSelection().toString().trim() !== "";
}

/** The span that is selected in the text, in code points and without spaces around it; null if there is none. */
export function selectedSpan(place, text) {
  const found = selectedUnits(place);
  if (!found) return null;
  const words = text.slice(found.from, found.to);
  const from = found.from + words.length - words.trimStart().length;
  const units = unitsOfPoints(text);
  const start = pointOfUnit(units, from);
  const end = pointOfUnit(units, from + words.trim().length);
  return end > start ? { start, end } : null;
}

/** Selects the next word after what is selected, or the one before it; `start` and `end` (code points) stand in for it. */
export function selectWord(place, text, isForward, { start, end }) {
  const units = unitsOfPoints(text);
  const { from, to } = selectedUnits(place) ?? { from: units[start], to: units[end] };
  const first = isForward ? to : Math.max(0, from - NEAR);
  const near = text.slice(first, isForward ? to + NEAR : from);
  const words = [...WORDS.segment(near)].filter((one) => one.isWordLike);
  const word = words.at(isForward ? 0 : -1);
  if (!word) return null;
  const begin = boundary(place, first + word.index, false);
  const finish = boundary(place, first + word.index + word.segment.length, true);
  getSelection().setBaseAndExtent(...begin, ...finish);
  const seen = getSelection().getRangeAt(0).getBoundingClientRect();
  if (seen.top < 0 || seen.bottom > innerHeight) scrollBy(0, seen.top - innerHeight / 3);
  return word.segment;
}

function selectedUnits(place) {
  const selection = getSelection();
  if (!selection || selection.isCollapsed || !selection.rangeCount) return null;
  const range = selection.getRangeAt(0);
  if (!place.contains(range.commonAncestorContainer)) return null;
  const before = range.cloneRange();
  before.selectNodeContents(place);
  before.setEnd(range.startContainer, range.startOffset);
  const from = before.toString().length;
  return { from, to: from + range.toString().length };
}

function boundary(place, unit, isEnd) {
  const walker = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  let done = 0;
  while (walker.nextNode()) {
    const { length } = walker.currentNode;
    if (unit < done + length || (isEnd && unit === done + length)) return [walker.currentNode, unit - done];
    done += length;
  }
  return [place, place.childNodes.length];
}
