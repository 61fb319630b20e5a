// Corrections: sent to the service at once, and kept in this browser until they are saved as a file and learned.

import { recall, store } from "./stored.js";

const PLACE = "deixis-corrections";
let unkept = []; // those that the browser refused to keep: they live as long as the page

/** All corrections, in the order in which they were made; `isLearned` are those that the service has. */
export function kept() {
  return [...read(), ...unkept];
}

/** Keeps a correction in the place of an earlier one of the same span; false if only this page can keep it. */
export function keep(correction) {
  const isOther = (one) => one.text !== correction.text || one.start !== correction.start || one.end !== correction.end;
  unkept = unkept.filter(isOther);
  const isKept = write([...read().filter(isOther), correction]);
  if (!isKept) unkept.push(correction);
  return isKept;
}

/** Forgets those that the service has learned. */
export function forgetLearned() {
  write(read().filter((one) => !one.isLearned));
  unkept = unkept.filter((one) => !one.isLearned);
}

/** As the service and files take it. */
export function asRecord({ isLearned, ...record }) {
  return record;
}

/** What `deixis learn MODEL corrections.jsonl` reads: each text stands in the first of its lines, under an id. */
export function asLines(corrections) {
  const textToId = new Map();
  return corrections.map((one) => {
    const { text, ...others } = asRecord(one);
    const isNew = !textToId.has(text);
    if (isNew) textToId.set(text, `text${textToId.size + 1}`);
    return `${JSON.stringify({ id: textToId.get(text), text: isNew ? text : undefined, ...others })}\n`;
  }).join("");
}

function read() {
  try {
    const { texts, corrections } = JSON.parse(recall(PLACE));
    return corrections.map((one) => ({ ...one, text: texts[one.text] }));
  } catch {
    return [];
  }
}

function write(all) {
  const texts = [...new Set(all.map((one) => one.text))]; // a text may be long and have many corrections
  return store(PLACE, JSON.stringify({ texts, corrections: all.map((one) => ({ ...one, text: texts.indexOf(one.text) })) }));
}
