// What a mention may mean, why, and the buttons that correct it.

import { bdi, element, idAfter, visible, webLink } from "./shown.js";
import { searchField, shortened } from "./search.js";

const SEEN = 4; // candidates that are seen at once
const PASSED_OVER = { unlikely: "it is hardly a mention, or part of a longer name", not_looked_at: "it is neither a name on the list, written so, nor does it stand out by capitals" };
const MOST = 9; // candidates, one for each key

/** Draws the panel of one mention; `actions` has mean(entity), nothing(), explain(id) and complain(error). */
export function drawDetails(place, mention, actions) {
  const items = (mention.candidates ?? []).slice(0, MOST).map((one, number) => item(one, number, mention, actions));
  const field = element("input", { type: "search", id: "search", autocomplete: "off", spellcheck: false });
  const hits = element("ul", { className: "hits", attributes: { "aria-label": "Entities found" } });
  searchField(field, hits, actions.mean, actions.complain);
  const nothing = element("button", { type: "button" }, "Nothing here ", element("kbd", {}, "0"));
  nothing.addEventListener("click", () => actions.nothing());
  const why = element("div", { id: "why" });
  place.replaceChildren(
    element("h2", {}, bdi(mention.text)),
    element("p", { className: "quiet" }, decision(mention)),
    element("ol", { className: "candidates" }, ...items.slice(0, SEEN)),
    items.length > SEEN ? element("details", {}, element("summary", {}, `${items.length - SEEN} more`), element("ol", { className: "candidates" }, ...items.slice(SEEN))) : "",
    element("p", { className: "buttons" }, nothing),
    element("label", {}, "It means something else ", element("kbd", {}, "/"), field),
    hits,
    element("h2", {}, "Why"),
    why,
  );
  return why;
}

function decision(mention) {
  if (mention.correction) return mention.entity == null ? "You said: nothing here." : "You said so.";
  if (mention.entity == null) return "Not linked: none of them is sure enough.";
  return `Linked with confidence ${(mention.score ?? 0).toFixed(2)}.`;
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

/** Adds to each candidate what is known of it, once that has come. */
export function drawDescriptions(place, entities) {
  const byId = new Map(entities.filter(Boolean).map((one) => [one.id, one]));
  for (const button of place.querySelectorAll(".candidate")) {
    const words = shortened(byId.get(button.dataset.id)?.description ?? "", 64);
    if (words) button.querySelector(".about").append(" · ", bdi(words));
  }
}

/** Fills the panel's lower part with an explanation, as the service gives it, and what is known of the entity;
 * `showInTree(entity)` shows where it stands. */
export function drawWhy(place, told, entity, showInTree) {
  const { entity: own, runner_up: other } = told;
  const names = { same: "The mention is its name", normalized: "The mention is its name, written otherwise:", alike: "The mention is most like its name" };
  const description = shortened(entity?.description ?? "", 300);
  const inTree = element("button", { type: "button" }, "Show it in the tree");
  inTree.addEventListener("click", () => showInTree(own));
  place.replaceChildren(
    element("p", {}, webLink(entity?.url, own.title), idAfter(own.title, own.id)),
    element("p", { className: "quiet" }, bdi(description)),
    element("p", {}, `${names[own.name.how]} `, bdi(own.name.name), "."),
    other ? element("p", { className: "quiet" }, "The next is ", bdi(other.title), idAfter(other.title, other.id), ":") : "",
    told.standing in PASSED_OVER ? element("p", {}, `A search of the text passes it over: ${PASSED_OVER[told.standing]}.`) : "",
    partsTable(own, other),
    told.found ? foundPart(told.found) : "",
    element("details", {}, element("summary", {}, "The way through the tree"), pathList(told.path), inTree),
  );
}

/** What counts for the entity, and beside it for the next one; what tells them apart comes first. */
function partsTable(own, other) {
  const [ours, theirs] = [own, other].map((one) => new Map((one?.parts ?? []).map((part) => [part.name, part.contribution])));
  const gap = (name) => Math.abs((ours.get(name) ?? 0) - (other ? theirs.get(name) ?? 0 : 0));
  const says = new Map([...(other?.parts ?? []), ...own.parts].filter(counts).map((part) => [part.name, part.says]));
  const rows = [...says].sort(([one], [two]) => gap(two) - gap(one)).map(([name, words]) => element("tr", {},
    number(ours.get(name) ?? 0), other ? number(theirs.get(name) ?? 0, "quiet") : element("td", {}), element("td", {}, words)));
  const head = element("tr", {}, element("th", { scope: "col" }, "it"), element("th", { scope: "col" }, other ? "next" : ""), element("th", { scope: "col" }, "because of"));
  const sum = element("tr", {}, number(own.total), other ? number(other.total, "quiet") : element("td", {}), element("td", {}, "together"));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows), element("tfoot", {}, sum));
}

function foundPart({ span_log_odds: odds, span_parts: parts }) {
  const chance = 1 / (1 + Math.exp(-odds));
  const rows = parts.filter(counts).map((part) => element("tr", {}, number(part.contribution), element("td", {}, part.says)));
  const sum = element("tr", {}, number(odds), element("td", {}, `together: ${chance.toFixed(2)}`));
  return element("details", {}, element("summary", {}, `A mention of anything: ${chance.toFixed(2)}`),
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
