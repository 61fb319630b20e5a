// The label tree as a picture: a node and what lies below it, as tall as it has entities. Click or Enter goes down.

import { branches, wayTo } from "./api.js";
import { bdi, element, visible } from "./shown.js";
import { searchField } from "./search.js";

const SVG = "http://www.w3.org/2000/svg";
const LEAST = 22; // pixels of a branch

export class TreeBrowser {
  constructor(complain, open) {
    this.svg = document.getElementById("tree");
    this.crumbs = document.getElementById("crumbs");
    this.complain = complain;
    this.open = open;
    this.way = [{ level: 0, node: 0, topics: ["all entities"] }];
    this.found = null;
    const list = document.getElementById("tree-hits");
    searchField(document.getElementById("tree-query"), list, (entity) => {
      list.replaceChildren();
      this.goTo(entity);
    }, complain);
    document.getElementById("tree-search").addEventListener("submit", (event) => event.preventDefault());
    this.svg.addEventListener("keydown", (event) => this.pressed(event));
    addEventListener("resize", () => this.last && this.draw(this.last));
  }

  async show() {
    const { level, node } = this.way.at(-1);
    try {
      const told = await branches(level, node);
      this.last = told.branches;
      this.draw(told.branches);
    } catch (error) {
      this.complain(error);
    }
  }

  async goTo(entity) {
    try {
      const told = await wayTo(entity.id);
      this.found = entity.id;
      const way = [this.way[0]];
      for (const { level, node } of told.way.slice(1)) {
        const above = await branches(way.at(-1).level, way.at(-1).node);
        way.push(above.branches.find((one) => one.level === level && one.node === node));
      }
      this.way = way;
      await this.show();
      this.svg.querySelector("g.found")?.focus();
    } catch (error) {
      this.complain(error);
    }
  }

  draw(children) {
    const width = this.svg.clientWidth || 600;
    const total = children.reduce((sum, one) => sum + one.n_entities, 0) || 1;
    this.svg.style.height = ""; // else it is still as tall as the node before
    const height = this.svg.clientHeight;
    const room = Math.max(height, children.length * LEAST);
    const spare = room - children.length * LEAST;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${room}`);
    if (room > height) this.svg.style.height = `${room}px`;
    let top = 0;
    this.svg.replaceChildren(...children.map((one, number) => {
      const tall = LEAST + (spare * one.n_entities) / total;
      const group = this.branch(one, number, top, width, tall);
      top += tall;
      return group;
    }));
    this.crumbs.replaceChildren(...this.way.map((one, depth) => {
      const button = element("button", { type: "button" }, bdi(one.topics.slice(0, 3).join(", ")));
      if (depth === this.way.length - 1) button.setAttribute("aria-current", "page");
      button.addEventListener("click", () => {
        this.way = this.way.slice(0, depth + 1);
        this.show();
      });
      return element("li", {}, button);
    }));
  }

  branch(one, number, top, width, height) {
    const isEntity = one.entity != null;
    const words = isEntity ? one.titles[0] : one.topics.join(", ");
    const size = isEntity ? one.entity : `${one.n_entities.toLocaleString()} entities, such as ${one.titles.join(", ")}`;
    const group = drawn("g", { role: "treeitem", tabindex: number ? -1 : 0, "aria-label": visible(`${words}: ${size}`), transform: `translate(0 ${top})` });
    if (isEntity && one.entity === this.found) group.classList.add("found");
    group.append(
      drawn("rect", { width, height: Math.max(1, height - 1) }),
      drawn("text", { x: 10, y: height / 2 + (height > 40 ? -2 : 4) }, visible(words)),
    );
    if (height > 40) group.append(drawn("text", { x: 10, y: height / 2 + 14, class: "size" }, visible(size)));
    group.addEventListener("click", () => this.enter(one));
    group.branch = one;
    return group;
  }

  enter(one) {
    if (one.entity != null) return this.open(one);
    this.way = [...this.way, one];
    this.found = null;
    return this.show().then(() => this.svg.querySelector("g")?.focus());
  }

  pressed(event) {
    const groups = [...this.svg.querySelectorAll("g")];
    const place = groups.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && groups.length) {
      event.preventDefault();
      groups[Math.min(Math.max(place + step, 0), groups.length - 1)].focus();
    } else if ((event.key === "Enter" || event.key === "ArrowRight") && place >= 0) {
      event.preventDefault();
      this.enter(groups[place].branch);
    } else if ((event.key === "ArrowLeft" || event.key === "Backspace") && this.way.length > 1) {
      event.preventDefault();
      this.way = this.way.slice(0, -1);
      this.show().then(() => this.svg.querySelector("g")?.focus());
    }
  }
}

function drawn(name, attributes, text = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== null) made.textContent = text;
  return made;
}
