// The details of a mention: its candidates, the explanation, and the buttons that correct it.

import { bdi, element, idAfter, visible, webLink } from "./shown.js";
import { searchField, shortened } from "./search.js";

const SEEN = 4; // candidates shown at once
const NOT_DETECTED = { unlikely: "improbable, or part of a longer name", not_considered: "neither a name of the knowledge base in this spelling nor capitalized" };
const WHY_NIL = { "unknown": "nothing like it on the list", "ambiguous": "too ambiguous", "not a mention": "not a mention" };
const MOST = 9; // candidates, one for each key

/** Draws the panel of one mention; `actions` has mean(entity), nothing(), create(), explain(id) and complain(error), and
 * `nEqual`, how many mentions of the text have the same words. */
export function drawDetails(place, mention, actions) {
  const items = (mention.candidates ?? []).slice(0, MOST).map((one, number) => item(one, number, mention, actions));
  const field = element("input", { type: "search", id: "search", autocomplete: "off", spellcheck: false });
  const hits = element("ul", { className: "hits", attributes: { "aria-label": "Entities found" } });
  searchField(field, hits, actions.mean, actions.complain);
  const nothing = element("button", { type: "button" }, "Not an entity ", element("kbd", {}, "0"));
  nothing.addEventListener("click", () => actions.nothing());
  const create = element("button", { type: "button" }, "New entity …");
  create.addEventListener("click", () => actions.create());
  const why = element("div", { id: "why" });
  place.replaceChildren(
    element("h2", {}, bdi(mention.text)),
    element("p", { className: "quiet" }, decision(mention)),
    element("ol", { className: "candidates" }, ...items.slice(0, SEEN)),
    items.length > SEEN ? element("details", {}, element("summary", {}, `${items.length - SEEN} more`), element("ol", { className: "candidates" }, ...items.slice(SEEN))) : "",
    element("p", { className: "buttons" }, nothing, create),
    actions.nEqual > 1 ? element("label", {}, element("input", { type: "checkbox", id: "all-equal" }), ` Correct all ${actions.nEqual} mentions of `, bdi(mention.text), " in this text") : "",
    element("label", {}, "Another entity ", element("kbd", {}, "/"), field),
    hits,
    element("h2", {}, "Why"),
    why,
  );
  return why;
}

function decision(mention) {
  if (mention.correction) return mention.entity == null ? "Corrected: not an entity." : "Corrected by you.";
  if (mention.entity == null) return `Not linked: ${WHY_NIL[mention.nil_reason] ?? "no candidate reaches the threshold"}${scores(mention)}.`;
  return `Linked with probability ${(mention.score ?? 0).toFixed(2)}${scores(mention)}.`;
}

/** What a probability is made of, as far as it is known. */
function scores({ mention_score: mention, entity_score: entity }) {
  const parts = [["a mention", mention], ["this entity", entity]].filter(([, score]) => score != null);
  return parts.length ? ` (${parts.map(([name, score]) => `${name} ${score.toFixed(2)}`).join(", ")})` : "";
}

function item(candidate, number, mention, actions) {
  const isChosen = candidate.id === mention.entity;
  const button = element("button", { type: "button", className: "candidate", attributes: { "aria-pressed": String(isChosen) } },
    element("kbd", {}, String(number + 1)),
    bdi(candidate.title || candidate.id, "title"),
    element("span", { className: "number" }, candidate.score.toFixed(2)),
    element("span", { className: "about" }, bdi(candidate.id)),
  );
  button.dataset.id = candidate.id;
  button.addEventListener("click", () => actions.mean(candidate));
  const why = element("button", { type: "button", attributes: { "aria-label": `Why ${visible(candidate.title)}?` } }, "why?");
  why.addEventListener("click", () => actions.explain(candidate.id));
  return element("li", {}, button, why);
}

/** Adds the descriptions of the candidates once they have arrived. */
export function drawDescriptions(place, entities) {
  const byId = new Map(entities.filter(Boolean).map((one) => [one.id, one]));
  for (const button of place.querySelectorAll(".candidate")) {
    const words = shortened(byId.get(button.dataset.id)?.description ?? "", 64);
    if (words) button.querySelector(".about").append(" · ", bdi(words));
  }
}

/** Fills the panel's lower part with the service's explanation and the entity's record;
 * `showInTree(entity)` shows its position. */
export function drawWhy(place, explanation, entity, showInTree) {
  const { entity: own, runner_up: other } = explanation;
  const names = { same: "Exact name:", normalized: "Same name after normalization:", similar: "Most similar name:" };
  const description = shortened(entity?.description ?? "", 300);
  const inTree = element("button", { type: "button" }, "Show in the tree");
  inTree.addEventListener("click", () => showInTree(own));
  place.replaceChildren(
    element("p", {}, webLink(entity?.url, own.title), idAfter(own.title, own.id)),
    element("p", { className: "quiet" }, bdi(description)),
    element("p", {}, `${names[own.name.how]} `, bdi(own.name.name), "."),
    other ? element("p", { className: "quiet" }, "The runner-up is ", bdi(other.title), idAfter(other.title, other.id), ":") : "",
    explanation.detection in NOT_DETECTED ? element("p", {}, `Not detected as a mention: ${NOT_DETECTED[explanation.detection]}.`) : "",
    partsTable(own, other),
    explanation.mention_evidence ? mentionPart(explanation.mention_evidence) : "",
    element("details", {}, element("summary", {}, "Path through the label tree"), pathList(explanation.path), inTree),
  );
}

/** The contributions to the entity's score, and beside them the runner-up's; the largest differences come first. */
function partsTable(own, other) {
  const [ours, theirs] = [own, other].map((one) => new Map((one?.parts ?? []).map((part) => [part.name, part.contribution])));
  const gap = (name) => Math.abs((ours.get(name) ?? 0) - (other ? theirs.get(name) ?? 0 : 0));
  const meanings = new Map([...(other?.parts ?? []), ...own.parts].filter(counts).map((part) => [part.name, part.meaning]));
  const rows = [...meanings].sort(([one], [two]) => gap(two) - gap(one)).map(([name, words]) => element("tr", {},
    number(ours.get(name) ?? 0), other ? number(theirs.get(name) ?? 0, "quiet") : element("td", {}), element("td", {}, words)));
  const head = element("tr", {}, element("th", { scope: "col" }, "entity"), element("th", { scope: "col" }, other ? "runner-up" : ""), element("th", { scope: "col" }, "feature"));
  const sum = element("tr", {}, number(own.total), other ? number(other.total, "quiet") : element("td", {}), element("td", {}, "total"));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows), element("tfoot", {}, sum));
}

function mentionPart({ span_log_odds: odds, span_parts: parts }) {
  const probability = 1 / (1 + Math.exp(-odds));
  const rows = parts.filter(counts).map((part) => element("tr", {}, number(part.contribution), element("td", {}, part.meaning)));
  const sum = element("tr", {}, number(odds), element("td", {}, `log odds; probability ${probability.toFixed(2)}`));
  return element("details", {}, element("summary", {}, `Mention probability ${probability.toFixed(2)}`),
    element("table", {}, element("tbody", {}, ...rows), element("tfoot", {}, sum)));
}

const counts = (part) => Math.abs(part.contribution) >= 0.005;

function number(value, className = value < 0 ? "against" : "for") {
  return element("td", { className: `number ${className}` }, (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2));
}

function pathList(path) {
  return element("ol", { className: "path" }, ...path.map((step) => element("li", {},
    element("strong", {}, bdi(step.topics.join(", "))), ` (${step.n_entities}) ${step.margin.toFixed(2)}: `,
    ...step.ngrams.flatMap((one) => [element("span", { className: "ngram" }, visible(`'${one.text}'`)), ` ${one.contribution.toFixed(2)} `]))));
}
