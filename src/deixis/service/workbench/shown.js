// Strings of a knowledge base can contain anything: they become text nodes, never markup.

const HIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/** The string with invisible and direction-changing characters made visible. */
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

/** A knowledge base's string, isolated from the text direction around it. */
export function bdi(string, className = "") {
  return element("bdi", { className }, visible(string));
}

/** An entity's id, to show after its title; nothing if they are equal. */
export function idAfter(title, id) {
  return id === title ? "" : element("span", { className: "quiet" }, " ", bdi(id));
}

/** A link to a web page, or only the string if the URL is not http or https (javascript:, data:, ...). */
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

/** The certainty of a link, as a CSS class and a word. */
export function certainty(mention) {
  if (mention.correction) return "corrected";
  if (mention.entity === null || mention.entity === undefined) return "nil";
  if (mention.score >= 0.5) return "sure";
  return mention.score >= 0.2 ? "likely" : "unsure";
}

/** A number with its noun in the singular or plural. */
export function counted(n, one, more) {
  return `${n.toLocaleString()} ${n === 1 ? one : more}`;
}
