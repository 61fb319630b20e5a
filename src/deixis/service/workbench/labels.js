// The labels of a whole text, for a service whose model labels texts instead of linking mentions.

import { bdi, element } from "./shown.js";

export function drawLabels(place, labels) {
  const items = labels.map((one) => element("li", {},
    element("span", { className: "candidate" }, bdi(one.title || one.id, "title"), bdi(one.id, "quiet"),
      element("span", { className: "number" }, one.score.toPrecision(2)))));
  place.replaceChildren(
    element("h2", {}, "Labels"),
    labels.length ? element("ol", { className: "candidates labels" }, ...items) : element("p", { className: "quiet" }, "No labels."),
  );
}
