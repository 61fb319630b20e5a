// The workbench: paste text, see links, correct them.

import * as api from "./api.js";
import { forget, keep } from "./corrections.js";
import { drawDescriptions, drawDetails, drawWhy } from "./details.js";
import { useDrops } from "./dropping.js";
import { remember, useHistory } from "./history.js";
import { drawLabels } from "./labels.js";
import { drawQueue, drawText, inOrder, inOrderOfDoubt, markChosen, merged } from "./linked.js";
import { drawUnlinked, useNewEntity } from "./new_entity.js";
import { isSelected, selectedSpan, selectWord } from "./selecting.js";
import { showWaiting, useSettings } from "./settings.js";
import { counted } from "./shown.js";
import { TreeBrowser } from "./tree.js";
import { isShown, show, useTabs } from "./views.js";

const at = (id) => document.getElementById(id);
const MAX_RELINKED = 50_000; // characters of a text that is linked again after each correction

let linked = null; // the document as the service gave it, with corrections
let nSent = 0; // how often a text was sent
let chosen = -1;
let pressed = null; // the selection when the add button was pressed: a tap may clear it
let order = []; // mentions, least certain first, as they were when the text was linked; added ones come last
let isLabeller = false;

function say(words, isWrong = false) {
  at("status").textContent = words;
  at("status").classList.toggle("wrong", isWrong);
}

const complain = (error) => say(error.message ?? String(error), true);

async function linkText() {
  const text = at("input").value;
  if (!text.trim()) return say("Enter a text first.");
  say(isLabeller ? "Labelling …" : "Linking …");
  const number = ++nSent;
  let answer = null;
  try {
    if (isLabeller) return showLabels(await api.label(text));
    answer = await api.link(text, at("overlaps").checked ? "keep" : "drop");
  } catch (error) {
    return complain(error);
  }
  if (number !== nSent) return; // another text was sent meanwhile
  linked = answer;
  order = inOrderOfDoubt(linked.mentions).map((number) => linked.mentions[number]);
  chosen = -1;
  showHint();
  at("input").rows = 3;
  at("linked").hidden = false;
  at("edit").hidden = false;
  draw();
  const n = linked.mentions.filter((mention) => mention.entity != null).length;
  say(linked.mentions.length ? `${n.toLocaleString()} of ${counted(linked.mentions.length, "mention", "mentions")} linked.` : "No mentions detected.");
  at("text").focus();
}

function showLabels({ labels }) {
  drawLabels(at("details"), labels);
  say(labels.length === 1 ? "1 label." : `${labels.length} labels.`);
}

function showHint() {
  at("details").replaceChildren(at("hint").content.cloneNode(true));
  at("details").classList.remove("chosen");
}

function draw() {
  drawText(at("text"), linked);
  drawNames();
  at("review").hidden = !linked.mentions.length;
  drawQueue(at("queue"), linked.mentions, chosen, choose);
}

function drawNames() {
  at("unlinked").hidden = !drawUnlinked(at("names"), linked.mentions, createFor);
}

function choose(number) {
  chosen = number;
  const mention = linked.mentions[number];
  const mark = markChosen(at("text"), linked.mentions, number);
  drawQueue(at("queue"), linked.mentions, chosen, choose);
  at("details").classList.add("chosen");
  at("details").scrollTop = 0;
  const why = drawDetails(at("details"), mention, {
    mean: (entity) => correct(mention, entity), nothing: () => correct(mention, null), create: () => createFor(mention), explain: (id) => showWhy(why, mention, id), complain,
    nEqual: linked.mentions.filter((one) => one.text === mention.text).length,
  });
  mark.focus();
  if (!mention.candidates?.length) return void (why.textContent = "It has no candidates in the knowledge base.");
  describe(why, mention.candidates);
  showWhy(why, mention, mention.entity ?? mention.candidates[0].id);
}

async function describe(why, candidates) {
  try {
    const known = await api.entities(candidates.map((one) => one.id));
    if (why.isConnected) drawDescriptions(at("details"), known);
  } catch (error) {
    complain(error);
  }
}

async function showWhy(place, { start, end }, id) {
  place.dataset.id = id; // show the last one requested, whichever answer arrives last
  try {
    const [explanation, known] = await Promise.all([api.explain(linked.text, start, end, id), api.entities([id])]);
    if (place.dataset.id === id) drawWhy(place, explanation, known[0], showInTree);
  } catch (error) {
    place.textContent = error.message;
  }
}

async function correct(mention, entity) {
  const { start, end } = mention;
  const within = linked;
  const verdict = entity === null ? { not_an_entity: true } : { gold: entity.id };
  const correction = { text: linked.text, start, end, surface: mention.text, ...verdict };
  const forAll = document.getElementById("all-equal")?.checked ? { all_equal: true } : {};
  Object.assign(mention, { entity: entity?.id ?? null, title: entity?.title, correction: true });
  const isKept = keep(correction);
  drawNames();
  choose(linked.mentions.indexOf(mention));
  say("Sending the correction …");
  const notStored = isKept ? "" : " This browser could not store it (its storage is full or disabled): save the corrections before you leave the page.";
  try {
    remember(await api.learn([{ ...correction, ...forAll }]));
  } catch (error) {
    say(`The service did not apply it: ${error.message}${notStored || " It is stored in this browser and can be sent again in Settings."}`, true);
    return showWaiting();
  }
  keep({ ...correction, isLearned: true });
  showWaiting();
  const applied = `Corrected: ${mention.text} ${entity === null ? "is not linked" : `refers to ${entity.title || entity.id}`}.`;
  try {
    const n = await linkAgain(within);
    say(`${applied}${n ? ` ${counted(n, "other mention has", "other mentions have")} changed.` : ""}${notStored}`);
  } catch (error) {
    say(`${applied}${notStored} The text could not be linked again: ${error.message}`, true);
  }
}

/** Opens the dialog for a new entity that the mention refers to. */
function createFor(mention) {
  const within = linked;
  openNewEntity(mention.text, async (entity, change) => {
    remember(change);
    greet(`Added ${entity.title} to the knowledge base.`);
    try {
      await linkAgain(within);
      if (linked === within && mention.entity !== entity.id) await correct(mention, entity);
    } catch (error) {
      complain(error);
    }
  });
}

/** Shows the text as it is linked after an undo; `items` are what was put back. */
async function showUndone(items) {
  for (const { kind, before, after } of items) {
    if (kind !== "correction") continue;
    const { text, start, end } = (before ?? after).at(-1);
    forget({ text, start, end });
    const mention = linked?.text === text && linked.mentions.find((one) => one.start === start && one.end === end);
    if (!mention) continue;
    const restored = after?.at(-1);
    Object.assign(mention, { entity: restored?.gold ?? null, title: undefined, correction: Boolean(restored) });
  }
  showWaiting();
  greet(null);
  if (!linked) return;
  await linkAgain(linked);
  const isChosen = chosen >= 0;
  draw();
  if (isChosen) choose(chosen);
}

/** Links the text again after a correction; corrected and added mentions stay. Returns how many others changed. */
async function linkAgain(within) {
  if (within.text.length > MAX_RELINKED) return 0;
  const answer = await api.link(within.text, at("overlaps").checked ? "keep" : "drop");
  if (linked !== within) return 0; // another text was linked meanwhile
  const current = linked.mentions[chosen];
  const { mentions, changed } = merged(linked.mentions, answer.mentions);
  if (!changed.size) return 0;
  linked.mentions = mentions;
  order = [...order.filter((one) => mentions.includes(one)), ...mentions.filter((one) => changed.has(one) && !order.includes(one))];
  chosen = mentions.indexOf(current);
  const isAtMention = at("text").contains(document.activeElement);
  draw();
  if (chosen < 0) showHint();
  else if (changed.has(current)) choose(chosen);
  else {
    const mark = markChosen(at("text"), mentions, chosen);
    if (isAtMention) mark.focus();
  }
  return changed.size;
}

function step(by) {
  if (!linked?.mentions.length) return;
  const current = linked.mentions[chosen];
  const waiting = order.filter((mention) => !mention.correction || mention === current);
  if (order.every((mention) => mention.correction)) return say("All mentions have been reviewed.");
  const place = current ? waiting.indexOf(current) + by : Math.min(by, 0);
  choose(linked.mentions.indexOf(waiting[(place + waiting.length) % waiting.length]));
}

async function addSelected() {
  const span = pressed ?? (linked && selectedSpan(at("text"), linked.text));
  pressed = null;
  if (!span) return say("Select words of the text first.");
  const known = linked.mentions.findIndex((one) => one.start === span.start && one.end === span.end);
  getSelection().removeAllRanges();
  if (known >= 0) return choose(known);
  const within = linked;
  const spans = [...linked.mentions.map((one) => ({ start: one.start, end: one.end })), span];
  say("Searching candidates …");
  let mention = null;
  try {
    const answer = await api.link(linked.text, "keep", spans);
    mention = answer.mentions.find((one) => one.start === span.start && one.end === span.end);
  } catch (error) {
    return complain(error);
  }
  if (linked !== within) return; // another text was linked meanwhile
  mention.isAdded = true;
  say(mention.candidates?.length ? "Added: choose its entity." : "Added: search for its entity.");
  order.push(mention);
  linked.mentions = inOrder([...linked.mentions, mention]);
  draw();
  choose(linked.mentions.indexOf(mention));
}

function nextWord(isForward) {
  if (!linked) return;
  const word = selectWord(at("text"), linked.text, isForward, linked.mentions[chosen] ?? { start: 0, end: 0 });
  if (word) say(`Selected: ${word}. Shift and the arrows extend the selection, a adds it as a mention.`);
}

const tree = new TreeBrowser(complain);
const openNewEntity = useNewEntity();
const undoLast = useHistory(say, showUndone);

function open(name) {
  show(name);
  say("");
  if (name === "tree") tree.show();
}

function showInTree(entity) {
  show("tree");
  tree.goTo(entity);
}

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  linkText();
});
at("edit").addEventListener("click", () => at("input").focus());
at("text").addEventListener("click", (event) => {
  const mark = event.target.closest(".mention");
  if (mark && getSelection().isCollapsed) choose(Number(mark.dataset.number)); // else words were selected
});
at("text").addEventListener("pointerdown", (event) => { // where a press moves the focus, Chromium selects no words
  const mark = event.target.closest(".mention");
  mark?.removeAttribute("tabindex");
  addEventListener("pointerup", () => mark?.setAttribute("tabindex", "0"), { once: true });
});
at("text").addEventListener("keydown", (event) => {
  if (!event.target.matches(".mention") || (event.key !== "Enter" && event.key !== " ") || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  choose(Number(event.target.dataset.number));
});
document.addEventListener("selectionchange", () => {
  if (!pressed) at("add").disabled = !isSelected(at("text"));
});
at("add").addEventListener("pointerdown", () => {
  pressed = selectedSpan(at("text"), linked.text);
  addEventListener("pointerup", () => setTimeout(() => { pressed = null; }, 500), { once: true });
});
at("add").addEventListener("click", addSelected);
useTabs(open);
useDrops(at("form"), (text) => {
  at("input").value = text;
  linkText();
}, (words) => say(words, true));

const KEYS = {
  n: () => step(1), p: () => step(-1), a: addSelected, w: () => nextWord(true), W: () => nextWord(false), e: () => at("input").focus(),
  h: () => at("open-history").click(),
  0: () => chosen >= 0 && correct(linked.mentions[chosen], null),
};

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return linkText();
  if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z" && !isLabeller && !event.target.closest("input, textarea, select, dialog")) {
    event.preventDefault(); // the browser would undo what was typed last, wherever that was
    return undoLast();
  }
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const isText = isShown("text");
  if (event.key === "?") at("help").showModal();
  else if (event.key === "t" && !isLabeller) open(isText ? "tree" : "text");
  else if (event.key === "/") {
    event.preventDefault();
    (isText ? at("search") ?? at("input") : at("tree-query")).focus();
  } else if (isText && Object.hasOwn(KEYS, event.key)) {
    event.preventDefault();
    KEYS[event.key]();
  } else if (isText && chosen >= 0 && event.key >= "1" && event.key <= "9") {
    const candidate = linked.mentions[chosen].candidates?.[Number(event.key) - 1];
    if (candidate) correct(linked.mentions[chosen], candidate);
  }
});

/** Gets the model's kind and size, and says `words` unless they are null; returns whether the service responded. */
async function greet(words = "") {
  try {
    const model = await api.about();
    isLabeller = model.kind === "labeller";
    document.body.classList.toggle("labeller", isLabeller);
    at("model").textContent = isLabeller ? counted(model.entities, "label", "labels") : counted(model.entities, "entity", "entities");
    if (words !== null) say(words);
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

useSettings(say, greet);
greet();
at("input").focus();
