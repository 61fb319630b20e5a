// Layout of the tree's picture: branches one below another, with their children as tiles beside them.

const LEAST = { height: 34, narrow: 46 }; // pixels of a branch
const TILE = { width: 112, narrow: 90, height: 19 }; // the least that its words need
const NARROW = 600; // the width of a phone
const TALL = 30; // pixels of a tile's height where the tiles have the picture to themselves

export const keyOf = ({ level, node }) => `${level}/${node}`;

/** Boxes of what lies below a node, and the height that they need: branches at depth 1 with their children, as far as
 * `childrenOf(branch)` has them, at depth 2; or entities alone. A box with a `note` only says something. */
export function laidOut(branches, childrenOf, width, height) {
  if (branches.every((one) => one.entity != null)) return entities(branches, width, height);
  const each = width < NARROW ? LEAST.narrow : LEAST.height;
  const least = branches.length * each;
  const room = Math.max(height, least);
  const left = Math.round(width * (width < NARROW ? 0.45 : 0.32));
  const total = sizeOf(branches);
  const boxes = [];
  let y = 0;
  for (const [number, branch] of branches.entries()) {
    const tall = each + ((room - least) * branch.n_entities) / total;
    const own = { branch, key: keyOf(branch), depth: 1, x: 0, y, width: left, height: tall, number, n: branches.length };
    const children = childrenOf(branch);
    const place = { x: left, y, width: width - left, height: tall };
    boxes.push({ ...own, isOpen: Boolean(children) });
    if (children) boxes.push(...tiles(children, place, own));
    else boxes.push({ ...place, branch, key: `${own.key} titles`, depth: 2, parent: own.key, note: branch.titles.join(", ") });
    y += tall;
  }
  return { boxes, height: room };
}

function entities(branches, width, height) {
  const rows = Math.ceil(branches.length / Math.max(1, Math.floor(width / (1.5 * TILE.width))));
  const room = Math.max(rows * TALL, Math.min(height, 2 * rows * TALL));
  return { boxes: grid(branches, { x: 0, y: 0, width, height: room }, rows).map((box) => ({ ...box, depth: 1 })), height: room };
}

/** The children of a branch that fit beside it, and how many do not. */
function tiles(children, place, parent) {
  const mostRows = Math.max(1, Math.floor(place.height / TILE.height));
  const least = place.width < NARROW ? TILE.narrow : TILE.width;
  const most = mostRows * Math.max(1, Math.floor(place.width / least));
  const shown = children.length > most ? children.slice(0, most - 1) : children;
  const n_entities = sizeOf(shown) / shown.length || 1;
  const rest = { n_entities, note: `${(children.length - shown.length).toLocaleString()} more`, level: parent.branch.level, node: `${parent.branch.node} more` };
  const all = shown === children ? shown : [...shown, rest];
  const columns = Math.ceil(all.length / mostRows);
  return grid(all, place, Math.ceil(all.length / columns)).map(({ branch, ...box }) => ({
    ...box, branch: branch.note ? parent.branch : branch, note: branch.note, depth: 2, parent: parent.key, n: children.length,
  }));
}

/** Tiles in columns of so many rows, read downwards; their areas are as their numbers of entities. */
function grid(all, place, rows) {
  const isEven = all.every((one) => one.n_entities === all[0].n_entities);
  const whole = isEven ? rows * Math.ceil(all.length / rows) * all[0]?.n_entities : sizeOf(all);
  const boxes = [];
  let x = place.x;
  for (let first = 0; first < all.length; first += rows) {
    const column = all.slice(first, first + rows);
    const size = isEven ? rows * all[0].n_entities : sizeOf(column);
    const width = (place.width * size) / whole;
    let y = place.y;
    for (const [number, branch] of column.entries()) {
      const height = (place.height * branch.n_entities) / size;
      boxes.push({ branch, key: keyOf(branch), x, y, width, height, number: first + number, n: all.length });
      y += height;
    }
    x += width;
  }
  return boxes;
}

const sizeOf = (branches) => branches.reduce((sum, one) => sum + one.n_entities, 0);
