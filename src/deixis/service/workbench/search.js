// Search of the knowledge base: a field and a list of results.

import { search } from "./api.js";
import { bdi, element, idAfter } from "./shown.js";

const PAUSE = 150; // milliseconds without a key before a request is sent

/** Fills `list` with the results for `field`; calls `choose(entity)` with the one that is clicked. */
export function searchField(field, list, choose, complain) {
  let waiting = 0;
  let last = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(update, PAUSE);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      field.value = "";
      list.replaceChildren();
      field.blur();
    }
    if (event.key === "ArrowDown") list.querySelector("button")?.focus();
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...list.querySelectorAll("button")];
    const next = buttons.indexOf(document.activeElement) + step;
    (next < 0 ? field : buttons[Math.min(next, buttons.length - 1)]).focus();
  });

  async function update() {
    const name = field.value.trim();
    const number = ++last;
    if (!name) return list.replaceChildren();
    try {
      const { entities } = await search(name);
      if (number === last) list.replaceChildren(...(entities.length ? entities.map(item) : [nothing()]));
    } catch (error) {
      complain(error);
    }
  }

  function nothing() {
    return element("li", { className: "quiet", attributes: { role: "status" } }, "No entity has such a name.");
  }

  function item(entity) {
    const button = element("button", { type: "button" }, bdi(entity.title, "title"), idAfter(entity.title, entity.id));
    if (entity.description) button.append(element("span", { className: "about quiet" }, " ", bdi(shortened(entity.description))));
    button.addEventListener("click", () => choose(entity));
    return element("li", {}, button);
  }
}

export function shortened(text, most = 120) {
  const points = [...text];
  return points.length <= most ? text : `${points.slice(0, most).join("")}…`;
}
