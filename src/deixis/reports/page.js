"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("has-script");
  const box = document.getElementById("find");
  const told = document.getElementById("found");
  const examples = [...document.querySelectorAll(".example")];
  const classes = [...document.querySelectorAll("details.errors")];
  const plain = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const texts = new Map();
  let openBefore = null;

  const search = () => {
    const words = plain(box.value).split(/\s+/).filter(Boolean);
    if (words.length && openBefore === null) openBefore = new Map(classes.map((each) => [each, each.open]));
    let n = 0;
    for (const example of examples) {
      if (!texts.has(example)) texts.set(example, plain(example.textContent));
      const isFound = words.every((word) => texts.get(example).includes(word));
      example.hidden = !isFound;
      n += isFound;
    }
    for (const each of classes) {
      const isAny = each.querySelector(".example:not([hidden])") !== null;
      each.hidden = words.length > 0 && !isAny;
      if (words.length) each.open = isAny;
      else if (openBefore !== null) each.open = openBefore.get(each);
    }
    if (!words.length) openBefore = null;
    told.textContent = words.length ? `${n} of ${examples.length} examples` : "";
  };

  if (box !== null) {
    box.addEventListener("input", search);
    document.addEventListener("keydown", (event) => {
      const isTyping = event.target instanceof HTMLInputElement;
      if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        event.preventDefault();
        box.focus();
      } else if (event.key === "Escape" && event.target === box) {
        box.value = "";
        search();
      }
    });
  }

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll("details:not([open])")];
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of closed) each.open = false;
  });
})();
