// Offsets of the service count code points, those of JavaScript count UTF-16 units. An emoji is one and two.

/** For each code point of a text the unit where it begins, and at the end the length of the text. */
export function unitsOfPoints(text) {
  const units = [];
  for (let unit = 0; unit < text.length; unit += text.codePointAt(unit) > 0xffff ? 2 : 1) units.push(unit);
  units.push(text.length);
  return units;
}

/** The code point that the unit lies in; one inside a pair counts as the pair's. */
export function pointOfUnit(units, unit) {
  let low = 0;
  let high = units.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (units[middle] <= unit) low = middle;
    else high = middle - 1;
  }
  return low;
}
