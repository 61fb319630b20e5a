// The workbench: paste text, see links, correct them.

import * as api from "./api.js";
import { asLines, keep, kept } from "./corrections.js";
import { drawDescriptions, drawDetails, drawWhy } from "./details.js";
import { drawQueue, drawText, inOrderOfDoubt, selectedSpan, titleOf } from "./linked.js";
import { TreeBrowser } from "./tree.js";

const at = (id) => document.getElementById(id);
const MAX_FILE = 2_000_000; // bytes of a dropped file

let linked = null; // the document as the service gave it, with corrections
let chosen = -1;
let order = []; // mentions in the order of doubt, as it was when the text was linked; added ones come last

function say(words, isWrong = false) {
  at("status").textContent = words;
  at("status").classList.toggle("wrong", isWrong);
}

const complain = (error) => say(error.message ?? String(error), true);

async function linkText() {
  const text = at("input").value;
  if (!text.trim()) return say("There is no text yet.");
  say("Linking …");
  try {
    linked = await api.link(text, at("overlaps").checked ? "keep" : "drop");
  } catch (error) {
    return complain(error);
  }
  order = inOrderOfDoubt(linked.mentions).map((number) => linked.mentions[number]);
  chosen = -1;
  at("form").classList.add("done");
  at("input").rows = 3;
  at("linked").hidden = false;
  at("edit").hidden = false;
  draw();
  const n = linked.mentions.filter((mention) => mention.entity != null).length;
  say(`${n} of ${linked.mentions.length} mentions linked.`);
  at("text").focus();
}

function draw() {
  drawText(at("text"), linked, chosen, choose);
  at("review").hidden = !linked.mentions.length;
  drawQueue(at("queue"), linked.mentions, chosen, choose);
}

function choose(number, hasFocus = true) {
  chosen = number;
  draw();
  const mention = linked.mentions[number];
  const why = drawDetails(at("details"), mention, {
    mean: (entity) => correct(number, entity), nothing: () => correct(number, null), explain: (id) => showWhy(why, number, id), complain,
  });
  describe(mention.candidates ?? []);
  if (hasFocus) at("text").querySelector(`[data-number="${number}"]`)?.focus();
  if (mention.candidates?.length) showWhy(why, number, mention.entity ?? mention.candidates[0].id);
  else why.textContent = "Nothing in the knowledge base is like it.";
}

async function describe(candidates) {
  try {
    const known = await api.entities(candidates.map((one) => one.id));
    drawDescriptions(at("details"), known);
  } catch (error) {
    complain(error);
  }
}

async function showWhy(place, number, id) {
  const { start, end } = linked.mentions[number];
  const spans = linked.mentions.map((one) => ({ start: one.start, end: one.end }));
  try {
    const [told, known] = await Promise.all([api.explain(linked.text, start, end, spans, id), api.entities([id])]);
    if (chosen === number) drawWhy(place, told, known[0]);
  } catch (error) {
    place.textContent = error.message;
  }
}

async function correct(number, entity) {
  const mention = linked.mentions[number];
  const { start, end } = mention;
  const verdict = entity === null ? { not_an_entity: true } : { gold: entity.id };
  const correction = { text: linked.text, start, end, surface: mention.text, ...verdict };
  const before = { entity: mention.entity, title: titleOf(mention), correction: mention.correction };
  Object.assign(mention, { entity: entity?.id ?? null, title: entity?.title, correction: true });
  const n = keep(correction);
  choose(number, false);
  say(`Corrected. ${n} kept in this browser; telling the service …`);
  try {
    await api.learn([correction]);
    say(`Learned: ${mention.text} ${entity === null ? "is not linked" : `means ${entity.title || entity.id}`}.`);
  } catch (error) {
    if (!(error instanceof api.ServiceError)) Object.assign(mention, before);
    say(`Kept in this browser, but the service has not learned it: ${error.message}`, true);
  }
}

function step(by) {
  if (!linked?.mentions.length) return;
  const current = linked.mentions[chosen];
  const waiting = order.filter((mention) => !mention.correction || mention === current);
  if (!waiting.length) return say("All mentions have been looked at.");
  const place = waiting.indexOf(current);
  choose(linked.mentions.indexOf(waiting[(place + by + waiting.length) % waiting.length]));
}

async function addSelected() {
  const span = linked && selectedSpan(at("text"), linked.text);
  if (!span || linked.mentions.some((one) => one.start === span.start && one.end === span.end)) return;
  const text = [...linked.text].slice(span.start, span.end).join("");
  const mention = { ...span, text, entity: null, score: null, candidates: [] };
  try {
    const told = await api.explain(linked.text, span.start, span.end, null, null);
    for (const one of [told.entity, told.runner_up]) {
      if (one) mention.candidates.push({ id: one.id, title: one.title, score: one.confidence });
    }
  } catch {
    say("Nothing in the knowledge base is like it: search for what it means.");
  }
  order.push(mention);
  linked.mentions = [...linked.mentions, mention].sort((one, other) => one.start - other.start || one.end - other.end);
  choose(linked.mentions.indexOf(mention));
}

function show(name) {
  for (const each of ["text", "tree"]) {
    at(`view-${each}`).hidden = each !== name;
    at(`tab-${each}`).setAttribute("aria-selected", String(each === name));
    at(`tab-${each}`).tabIndex = each === name ? 0 : -1;
  }
  if (name === "tree") tree.show();
}

const tree = new TreeBrowser(complain, (branch) => say(`${branch.titles[0]} (${branch.entity})`));

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  linkText();
});
at("edit").addEventListener("click", () => at("input").focus());
at("text").addEventListener("mouseup", () => addSelected());
at("tab-text").addEventListener("click", () => show("text"));
at("tab-tree").addEventListener("click", () => show("tree"));
document.querySelector('[role="tablist"]').addEventListener("keydown", (event) => {
  if (event.key !== "ArrowLeft" && event.key !== "ArrowRight") return;
  const other = at("view-text").hidden ? "text" : "tree";
  show(other);
  at(`tab-${other}`).focus();
});

at("form").addEventListener("dragover", (event) => {
  event.preventDefault();
  at("form").classList.add("over");
});
at("form").addEventListener("dragleave", () => at("form").classList.remove("over"));
at("form").addEventListener("drop", async (event) => {
  event.preventDefault();
  at("form").classList.remove("over");
  const file = event.dataTransfer.files[0];
  if (file && file.size > MAX_FILE) return say(`${file.name} is too long for this page: deixis link reads files of any size.`, true);
  at("input").value = file ? await file.text() : event.dataTransfer.getData("text");
  linkText();
});

at("theme").addEventListener("change", () => {
  const theme = at("theme").value;
  if (theme === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  localStorage.setItem("deixis-theme", theme);
});
at("theme").value = localStorage.getItem("deixis-theme") ?? "auto";
at("theme").dispatchEvent(new Event("change"));

at("token").addEventListener("change", () => {
  sessionStorage.setItem("deixis-token", at("token").value);
  api.useToken(at("token").value);
  greet();
});
at("token").value = sessionStorage.getItem("deixis-token") ?? "";
api.useToken(at("token").value);

at("download").addEventListener("click", () => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([asLines()], { type: "application/jsonl" }));
  link.download = "corrections.jsonl";
  link.click();
  URL.revokeObjectURL(link.href);
  say(`${kept().length} corrections saved. Read them with: deixis learn MODEL corrections.jsonl`);
});

document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "Enter") return linkText();
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, dialog")) return;
  const isText = !at("view-text").hidden;
  if (event.key === "?") at("help").showModal();
  else if (event.key === "t") show(isText ? "tree" : "text");
  else if (event.key === "/") {
    event.preventDefault();
    (isText ? at("search") ?? at("input") : at("tree-query")).focus();
  } else if (isText && event.key === "n") step(1);
  else if (isText && event.key === "p") step(-1);
  else if (isText && event.key === "e") {
    event.preventDefault();
    at("input").focus();
  } else if (isText && chosen >= 0 && (event.key === "0" || event.key === "x")) correct(chosen, null);
  else if (isText && chosen >= 0 && event.key >= "1" && event.key <= "9") {
    const candidate = linked.mentions[chosen].candidates?.[Number(event.key) - 1];
    if (candidate) correct(chosen, candidate);
  }
});

async function greet() {
  try {
    const told = await api.about();
    at("model").textContent = told.entities === undefined ? "" : `${told.entities.toLocaleString()} entities`;
    say("");
  } catch (error) {
    complain(error);
  }
}

greet();
at("input").focus();
