// Changes of the model: those of this page undone by a key, and the history of all, each with a button that reverts it.

import * as api from "./api.js";
import { bdi, counted, element } from "./shown.js";

const at = (id) => document.getElementById(id);
const MOST_ITEMS = 3; // of a change that are described
const own = []; // the generations of the changes made on this page, the last one last

/** Remembers a change made on this page, so that it can be undone. */
export function remember({ generation }) {
  if (generation != null) own.push(generation);
}

/** What a change did, in words. */
export function inWords({ items, n_items: n }) {
  const descriptions = items.slice(0, MOST_ITEMS).map((item) => (item.kind === "entity" ? entityWords(item) : correctionWords(item)));
  return descriptions.join("; ") + (n > MOST_ITEMS ? `; and ${counted(n - MOST_ITEMS, "other", "others")}` : "");
}

function entityWords({ key, before, after }) {
  const name = `${(after ?? before).title} (${key})`;
  return before === null ? `added ${name}` : after === null ? `removed ${name}` : `edited ${name}`;
}

function correctionWords({ before, after }) {
  const one = (after ?? before).at(-1);
  if (after === null) return `removed the correction of “${one.surface}”`;
  return `“${one.surface}” ${one.gold ? `refers to ${one.gold}` : one.wrong ? `does not refer to ${one.wrong}` : "is not linked"}`;
}

/** The items of a change that took another one back, as the other one had them. */
const turned = (change) => ({ ...change, items: change.items.map((item) => ({ ...item, before: item.after, after: item.before })) });

/** Makes the history work; `undone(items)` is called with what an undo put back. Returns what undoes the last change. */
export function useHistory(say, undone) {
  async function revert(generation) {
    say("Undoing …");
    try {
      const change = await api.undo(generation);
      await undone(change.items);
      say(`Undone: ${inWords(turned(change))}.`);
      return true;
    } catch (error) {
      say(`Not undone: ${error.message}`, true);
      return false;
    }
  }

  async function open() {
    at("changes").replaceChildren();
    at("history").showModal();
    await list();
  }

  async function list() {
    try {
      const { changes } = await api.changes();
      at("changes").replaceChildren(...changes.map(row));
      at("history-note").textContent = changes.length ? "" : "The model was not changed since it was built.";
    } catch (error) {
      at("history-note").textContent = error.message;
    }
  }

  function row(change) {
    const { generation, author, reason, time, undoes } = change;
    const [first, last] = undoes ?? [];
    const what = undoes ? `undid ${first === last ? first : `${first} to ${last}`}: ${inWords(turned(change))}` : inWords(change);
    const who = [author, new Date(time).toLocaleString(), reason].filter(Boolean).join(", ");
    const button = element("button", { type: "button", ariaLabel: `Revert change ${generation}` }, "Revert");
    button.addEventListener("click", async () => {
      if (await revert(generation)) await list();
      else at("history-note").textContent = at("status").textContent;
    });
    return element("li", { value: generation, className: change.undone ? "undone" : "" },
      element("span", {}, bdi(what), element("span", { className: "quiet" }, ` ${change.undone ? "(undone) " : ""}`), element("br"), element("small", { className: "quiet" }, bdi(who))),
      change.undone ? null : button);
  }

  at("open-history").addEventListener("click", open);
  return async () => {
    const generation = own.at(-1);
    if (generation === undefined) return say("Nothing was changed on this page. The history lists all changes.");
    if (await revert(generation)) own.pop();
  };
}
