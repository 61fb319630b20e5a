// The settings: access token, colours, and the file of corrections.

import * as api from "./api.js";
import { asLines, asRecord, forgetLearned, keep, kept } from "./corrections.js";
import { counted } from "./shown.js";
import { recall, store } from "./stored.js";

const at = (id) => document.getElementById(id);
const corrections = (n) => counted(n, "correction", "corrections");
const waiting = () => kept().filter((one) => !one.isLearned);

/** Makes the settings work; `say(message, isWrong)` shows the outcome, `greet()` contacts the service again. */
export function useSettings(say, greet) {
  at("theme").addEventListener("change", () => {
    document.documentElement.dataset.theme = at("theme").value;
    store("deixis-theme", at("theme").value);
  });
  at("theme").value = recall("deixis-theme") ?? "auto";
  at("theme").dispatchEvent(new Event("change"));

  at("token").addEventListener("change", async () => {
    store("deixis-token", at("token").value, "sessionStorage");
    api.useToken(at("token").value);
    if (await greet() && waiting().length) sendWaiting(say);
  });
  at("token").value = recall("deixis-token", "sessionStorage") ?? "";
  api.useToken(at("token").value);

  at("author").addEventListener("change", () => {
    store("deixis-author", at("author").value);
    api.useAuthor(at("author").value);
  });
  at("author").value = recall("deixis-author") ?? "";
  api.useAuthor(at("author").value);

  at("settings").addEventListener("toggle", showWaiting);
  at("settings").addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    at("settings").open = false;
    at("settings").querySelector("summary").focus();
  });
  at("send").addEventListener("click", () => sendWaiting(say));
  at("download").addEventListener("click", () => saveFile(say));
}

/** Offers to send the corrections that the service does not have, if there are any. */
export function showWaiting() {
  const n = waiting().length;
  at("send").hidden = !n;
  at("send").textContent = `Send ${corrections(n)} again`;
}

async function sendWaiting(say) {
  let n = 0;
  let refusal = null;
  for (const one of waiting()) {
    try {
      await api.learn([asRecord(one)]); // one by one, so that a refused one does not block the others
      keep({ ...one, isLearned: true });
      n += 1;
    } catch (error) {
      refusal = error;
    }
  }
  showWaiting();
  if (refusal) say(`${corrections(n)} applied, ${waiting().length} refused: ${refusal.message}`, true);
  else say(`${corrections(n)} applied.`);
}

function saveFile(say) {
  const all = kept();
  if (!all.length) return say("There are no unsaved corrections.");
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([asLines(all)], { type: "application/jsonl" }));
  link.download = "corrections.jsonl";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  forgetLearned();
  const n = waiting().length;
  const rest = n ? ` ${n === 1 ? "One that the service does not have is" : `${n} that the service does not have are`} still stored here.` : "";
  say(`${corrections(all.length)} saved, for: deixis correct MODEL corrections.jsonl.${rest}`);
}
