// Strings of a knowledge base can hold anything: they become text nodes, never markup.

const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The string with what cannot be seen, or plays tricks with the order of letters, made visible. */
export function visible(string) {
  return String(string ?? "").replace(HIDDEN, (sign) => `\u27e8${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);
}

/** An element with properties, attributes (in `attributes`) and children; strings among them become text. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  const { attributes = {}, ...others } = properties;
  Object.assign(made, others);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A knowledge base's string, kept apart from the direction of what stands around it. */
export function bdi(string, className = "") {
  return element("bdi", { className }, visible(string));
}

/** An entity's id, to stand after its title; nothing where it says the same. */
export function idAfter(title, id) {
  return id === title ? "" : element("span", { className: "quiet" }, " ", bdi(id));
}

/** A link to a page of the web, or the string alone if it leads anywhere else (javascript:, data:, ...). */
export function webLink(url, label) {
  let parsed = null;
  try {
    parsed = new URL(url);
  } catch {
    return bdi(label);
  }
  if (parsed.protocol !== "https:" && parsed.protocol !== "http:") return bdi(label);
  return element("a", { href: parsed.href, target: "_blank", rel: "noopener noreferrer" }, bdi(label));
}

/** How sure a link is, as a class of the style sheet and a word. */
export function certainty(mention) {
  if (mention.correction) return "corrected";
  if (mention.entity === null || mention.entity === undefined) return "nil";
  if (mention.score >= 0.5) return "sure";
  return mention.score >= 0.2 ? "likely" : "unsure";
}

/** A number of things, in words. */
export function counted(n, one, more) {
  return `${n.toLocaleString()} ${n === 1 ? one : more}`;
}
