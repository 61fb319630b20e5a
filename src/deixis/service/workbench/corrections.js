// Corrections: sent to the service at once, and kept in this browser until they are saved as a file.

const PLACE = "deixis-corrections";

export function kept() {
  try {
    return JSON.parse(localStorage.getItem(PLACE) ?? "[]");
  } catch {
    return [];
  }
}

/** Keeps a correction; a later one of the same span takes the place of the earlier. */
export function keep(correction) {
  const isOther = (one) => one.text !== correction.text || one.start !== correction.start || one.end !== correction.end;
  const all = [...kept().filter(isOther), correction];
  localStorage.setItem(PLACE, JSON.stringify(all));
  return all.length;
}

/** What `deixis learn MODEL corrections.jsonl` reads. */
export function asLines(corrections = kept()) {
  return corrections.map((one) => `${JSON.stringify(one)}\n`).join("");
}
