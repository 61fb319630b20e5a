// Corrections: sent to the service at once, and stored in this browser until they are saved as a file.

import { recall, store } from "./stored.js";

const PLACE = "deixis-corrections";
let unkept = []; // those that the browser refused to store: they live as long as the page

/** All corrections, in the order in which they were made; `isLearned` marks those that the service has. */
export function kept() {
  return [...read(), ...unkept];
}

/** Stores a correction and replaces an earlier one of the same span; false if only this page holds it. */
export function keep(correction) {
  const isOther = (one) => one.text !== correction.text || one.start !== correction.start || one.end !== correction.end;
  unkept = unkept.filter(isOther);
  const isKept = write([...read().filter(isOther), correction]);
  if (!isKept) unkept.push(correction);
  return isKept;
}

/** Removes the correction of a span, which was undone. */
export function forget({ text, start, end }) {
  const isOther = (one) => one.text !== text || one.start !== start || one.end !== end;
  unkept = unkept.filter(isOther);
  write(read().filter(isOther));
}

/** Removes those that the service has. */
export function forgetLearned() {
  write(read().filter((one) => !one.isLearned));
  unkept = unkept.filter((one) => !one.isLearned);
}

/** The record that the service and files use. */
export function asRecord({ isLearned, ...record }) {
  return record;
}

/** The file that `deixis correct MODEL corrections.jsonl` reads: the first line of each text has the text and an id. */
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
