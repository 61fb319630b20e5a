// New entities: a dialog for one, and the names of the text that are not linked, each with a button that opens it.

import * as api from "./api.js";
import { bdi, element } from "./shown.js";

const at = (id) => document.getElementById(id);
const MOST_NAMES = 50; // that are listed at once

/** Makes the dialog work; returns a function that opens it with a name and calls `added(entity, change)` at the end. */
export function useNewEntity() {
  let whenAdded = null;
  at("new-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const entity = { id: at("new-id").value.trim(), title: at("new-title").value.trim() };
    const description = at("new-description").value.trim();
    try {
      const change = await api.add({ ...entity, ...(description ? { description } : {}) });
      at("new-entity").close();
      whenAdded(entity, change);
    } catch (error) {
      at("new-note").textContent = error.message;
    }
  });
  at("new-cancel").addEventListener("click", () => at("new-entity").close());
  return (name, added) => {
    whenAdded = added;
    at("new-form").reset();
    at("new-note").textContent = "";
    at("new-title").value = name;
    at("new-id").value = name.trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "_");
    at("new-entity").showModal();
    at("new-description").focus();
  };
}

/** Draws the names that are not linked, the most frequent first; `create(mention)` is called for a new entity. */
export function drawUnlinked(place, mentions, create) {
  const names = new Map();
  for (const mention of mentions) {
    if (mention.entity != null || mention.correction) continue;
    names.set(mention.text, [...(names.get(mention.text) ?? []), mention]);
  }
  const sorted = [...names].sort(([, one], [, other]) => other.length - one.length);
  place.replaceChildren(...sorted.slice(0, MOST_NAMES).map(([name, several]) => {
    const button = element("button", { type: "button", ariaLabel: `New entity ${name}` }, "New entity …");
    button.addEventListener("click", () => create(several[0]));
    return element("li", {}, element("span", {}, bdi(name), element("span", { className: "quiet" }, ` ×${several.length}`)), button);
  }));
  return sorted.length;
}
