// Draws the boxes of the tree. Existing boxes move to their new position, unless reduced motion is preferred.

import { counted, visible } from "./shown.js";

const SVG = "http://www.w3.org/2000/svg";
const FONT = 13; // pixels
const TIME = { duration: 380, easing: "cubic-bezier(.3, 0, .2, 1)" };
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
const pen = document.createElement("canvas").getContext("2d");
let family = "sans-serif";

export class TreePicture {
  constructor(svg) {
    this.svg = svg;
    this.drawn = new Map(); // key -> the group that stands for it
    family = getComputedStyle(svg).fontFamily;
  }

  /** Draws boxes with `hue` and `isFound`; groups that stay as they are keep the focus. */
  draw(boxes, width, height) {
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.height = `${height}px`;
    const before = this.drawn;
    const places = new Map([...before].map(([key, group]) => [key, group.box]));
    this.drawn = new Map(boxes.map((box) => {
      const old = before.get(box.key);
      return [box.key, old && isSame(old.box, box) ? old : made(box)];
    }));
    for (const group of before.values()) if (this.drawn.get(group.box.key) !== group) group.remove();
    let next = this.svg.firstChild;
    for (const group of this.drawn.values()) {
      if (group === next) next = next.nextSibling;
      else {
        this.svg.insertBefore(group, next);
        const { key, parent } = group.box;
        const isParentMoved = this.drawn.get(parent) !== before.get(parent);
        if (before.size && !STILL.matches) move(group, places.get(key) ?? (isParentMoved ? places.get(parent) : null));
      }
    }
    this.letTabIn(this.items().find((one) => one === document.activeElement) ?? this.items()[0]);
  }

  /** Waits until nothing moves. */
  async still() {
    await Promise.allSettled(this.svg.getAnimations({ subtree: true }).map((one) => one.finished));
  }

  /** The groups that can be chosen, in order. */
  items() {
    return [...this.svg.querySelectorAll('[role="treeitem"]')];
  }

  focus(key) {
    const group = this.drawn.get(key) ?? this.items()[0];
    this.letTabIn(group);
    group?.focus();
  }

  letTabIn(group) {
    for (const one of this.svg.querySelectorAll('[tabindex="0"]')) one.tabIndex = -1;
    if (group) group.tabIndex = 0;
  }
}

const SHAPE = ["x", "y", "width", "height", "depth", "hue", "isFound", "isOpen", "note"];
const isSame = (one, other) => SHAPE.every((name) => one[name] === other[name]);

function move(group, from) {
  const { x, y, width, height } = group.box;
  if (from && !group.box.note) {
    group.animate({ transform: [`translate(${from.x}px, ${from.y}px)`, `translate(${x}px, ${y}px)`] }, TIME);
    group.firstChild.animate({ width: [`${from.width}px`, `${width}px`], height: [`${from.height}px`, `${height}px`] }, TIME);
    for (const text of group.querySelectorAll("text")) text.animate({ opacity: [0, 1] }, TIME);
  } else group.animate({ opacity: [0, 1] }, TIME);
}

function made(box) {
  const { branch, width, height } = box;
  const group = node("g", box.note ? { "aria-hidden": "true", class: "note" } : {
    role: "treeitem", tabindex: -1, "aria-label": labelOf(box), "aria-level": box.depth, "aria-posinset": box.number + 1, "aria-setsize": box.n,
  });
  if (!box.note && branch.entity == null) group.ariaExpanded = String(Boolean(box.isOpen));
  if (branch.entity != null) group.classList.add("entity");
  if (box.isFound) group.classList.add("found");
  group.classList.add(`depth${box.depth}`);
  group.style.transform = `translate(${box.x}px, ${box.y}px)`;
  group.style.setProperty("--hue", box.hue);
  const isTall = box.depth === 1 && height > 40;
  const words = box.note ?? (branch.entity == null ? branch.topics.join(", ") : branch.titles[0]);
  group.append(
    node("rect", { width: Math.max(1, width - 2), height: Math.max(1, height - 2), rx: 3 }),
    node("text", { x: 8, y: height / 2 + (isTall ? -3 : 4), class: "words" }, height >= FONT ? fitted(visible(words), width - 16, box.depth === 1 ? 600 : 400) : ""),
  );
  const size = branch.entity ?? counted(branch.n_entities, "entity", "entities");
  if (isTall) group.append(node("text", { x: 8, y: height / 2 + 14, class: "size" }, fitted(visible(size), width - 16)));
  if (!box.note) group.append(node("title", {}, labelOf(box)));
  group.box = box;
  return group;
}

function labelOf({ branch }) {
  if (branch.entity != null) return visible(`${branch.titles[0]}: ${branch.entity}`);
  return visible(`${branch.topics.join(", ")}: ${counted(branch.n_entities, "entity", "entities")}, such as ${branch.titles.join(", ")}`);
}

/** As much of the words as there is room for. */
function fitted(words, width, weight = 400) {
  pen.font = `${weight} ${FONT}px ${family}`;
  if (pen.measureText(words).width <= width) return words;
  let points = [...words].slice(0, Math.max(0, Math.floor(width / 3)));
  while (points.length && pen.measureText(`${points.join("")}…`).width > width) points = points.slice(0, Math.floor(points.length * 0.95));
  return points.length ? `${points.join("").replace(/[,\s]+$/, "")}…` : "";
}

function node(name, attributes, text = null) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== null) element.textContent = text;
  return element;
}
