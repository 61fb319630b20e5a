// The label tree as a picture: the children of a node and their children. A click or Enter goes down.

import { branches, entities, wayTo } from "./api.js";
import { bdi, element, idAfter, webLink } from "./shown.js";
import { searchField, shortened } from "./search.js";
import { keyOf, laidOut } from "./tree_layout.js";
import { TreePicture } from "./tree_picture.js";

const MOST_OPENED = 64; // branches whose children are loaded ahead
const SPREAD = [360, 70, 40]; // of the colours below a node, by its level
const at = (id) => document.getElementById(id);
const ROOT = { level: 0, node: 0, topics: ["all entities"], hue: 200 };

export class TreeBrowser {
  constructor(complain) {
    this.complain = complain;
    this.way = [ROOT]; // from the root to the node whose children are shown
    this.known = new Map(); // key of a node -> its children
    this.found = null;
    searchField(at("tree-query"), at("tree-hits"), (entity) => {
      at("tree-hits").replaceChildren();
      this.goTo(entity);
    }, complain);
    at("tree-search").addEventListener("submit", (event) => event.preventDefault());
    at("tree").addEventListener("keydown", (event) => this.pressed(event));
    at("tree").addEventListener("click", (event) => {
      const group = event.target.closest("g");
      if (group) this.enter(group.box);
    });
    addEventListener("resize", () => this.picture && this.draw());
  }

  /** Shows the tree as it is now. */
  show() {
    this.picture ??= new TreePicture(at("tree"));
    this.known.clear();
    return this.open(this.way);
  }

  /** Goes to the position of an entity. */
  async goTo(entity) {
    this.picture ??= new TreePicture(at("tree"));
    this.known.clear();
    await this.tried(async () => {
      const answer = await wayTo(entity.id);
      const way = [ROOT];
      for (const { level, node } of answer.way.slice(1)) {
        way.push((await this.below(way.at(-1))).find((one) => one.level === level && one.node === node));
      }
      this.found = entity.id;
      await this.open(way);
      at("tree").querySelector("g.found")?.focus();
      await this.showEntity(entity.id);
    });
  }

  /** Shows the children of the last node of a path, then, one by one, the children of its branches. */
  async open(way, focus = null) {
    await this.tried(async () => {
      const children = await this.below(way.at(-1));
      this.way = way;
      this.draw();
      if (focus) this.picture.focus(focus);
      await this.picture.still();
      for (const one of children.slice(0, MOST_OPENED)) {
        if (one.entity != null) break;
        await this.below(one);
        if (this.way !== way) return; // somebody went on
        this.draw();
      }
    });
  }

  /** The children of a node; their colours are near its own. */
  async below(node) {
    const key = keyOf(node);
    if (!this.known.has(key)) {
      const children = (await branches(node.level, node.node)).branches;
      const spread = SPREAD[Math.min(node.level, SPREAD.length - 1)];
      const hue = (number) => Math.round(node.hue + spread * ((number + 0.5) / children.length - 0.5) + 360) % 360;
      this.known.set(key, children.map((one, number) => ({ ...one, hue: hue(number) })));
    }
    return this.known.get(key);
  }

  draw() {
    const children = this.known.get(keyOf(this.way.at(-1)));
    if (!children || !at("tree").clientWidth) return; // not there yet, or not in sight
    const width = at("tree").clientWidth;
    const least = Math.max(320, innerHeight - at("tree").getBoundingClientRect().top - scrollY - 24);
    const { boxes, height } = laidOut(children, (one) => this.known.get(keyOf(one)), width, least);
    this.picture.draw(boxes.map((box) => ({
      ...box, hue: box.branch.hue, isFound: this.found != null && box.branch.entity === this.found,
    })), width, height);
    at("crumbs").replaceChildren(...this.way.map((one, depth) => {
      const button = element("button", { type: "button" }, bdi(one.topics.slice(0, 3).join(", ")));
      if (depth === this.way.length - 1) button.ariaCurrent = "page";
      button.addEventListener("click", () => this.up(depth));
      return element("li", {}, button);
    }));
  }

  /** Goes down into a branch, or shows the record of an entity. */
  enter({ branch, parent }) {
    if (branch.entity != null) {
      this.found = branch.entity;
      this.draw();
      this.picture.focus(keyOf(branch));
      return this.tried(() => this.showEntity(branch.entity));
    }
    const between = parent && parent !== keyOf(branch) ? this.picture.drawn.get(parent).box.branch : null;
    this.leave();
    return this.open([...this.way, ...(between ? [between] : []), branch], "first");
  }

  /** Goes up to a node of the path and focuses the branch that was left. */
  up(depth) {
    const from = this.way[depth + 1];
    this.leave();
    return this.open(this.way.slice(0, depth + 1), from ? keyOf(from) : "first");
  }

  leave() {
    this.found = null;
    at("entity").hidden = true;
  }

  async showEntity(id) {
    const [known] = await entities([id]);
    if (!known || this.found !== id) return;
    at("entity").hidden = false;
    at("entity").replaceChildren(
      element("strong", {}, webLink(known.url, known.title)), idAfter(known.title, known.id), " ", bdi(shortened(known.description, 300)));
  }

  async tried(deed) {
    try {
      await deed();
    } catch (error) {
      this.way = this.known.has(keyOf(this.way.at(-1))) ? this.way : [ROOT]; // after another model was loaded it may be gone
      this.complain(error);
    }
  }

  pressed(event) {
    const items = this.picture.items();
    const current = items.find((one) => one === document.activeElement);
    if (!current || event.ctrlKey || event.metaKey || event.altKey) return;
    const { depth, key, parent } = current.box;
    const column = items.filter((one) => one.box.depth === depth);
    const place = column.indexOf(current);
    const goal = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: column.length - 1 }[event.key];
    const child = items.find((one) => one.box.parent === key);
    if (goal !== undefined) column[goal] && this.picture.focus(column[goal].box.key);
    else if (event.key === "ArrowRight" && child) this.picture.focus(child.box.key);
    else if (event.key === "Enter" || event.key === " " || event.key === "ArrowRight") this.enter(current.box);
    else if (event.key === "ArrowLeft" && depth === 2) this.picture.focus(parent);
    else if (event.key === "ArrowLeft" || event.key === "Backspace") this.way.length > 1 && this.up(this.way.length - 2);
    else return;
    event.preventDefault();
  }
}
