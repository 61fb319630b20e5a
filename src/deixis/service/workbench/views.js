// The two views, text and tree, and their tabs.

const at = (id) => document.getElementById(id);
const NAMES = ["text", "tree"];

export const isShown = (name) => !at(`view-${name}`).hidden;

export function show(name) {
  for (const each of NAMES) {
    at(`view-${each}`).hidden = each !== name;
    at(`tab-${each}`).ariaSelected = String(each === name);
    at(`tab-${each}`).tabIndex = each === name ? 0 : -1;
  }
}

/** Makes the tabs work; `open(name)` shows a view. */
export function useTabs(open) {
  for (const each of NAMES) at(`tab-${each}`).addEventListener("click", () => open(each));
  document.querySelector('[role="tablist"]').addEventListener("keydown", (event) => {
    if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
    const other = isShown("text") ? "tree" : "text";
    open(other);
    at(`tab-${other}`).focus();
  });
}
