// Requests to the service. Paths are relative to the page, so that it also works behind a prefix.

const ROOT = new URL("../", document.baseURI);
let token = "";
let author = "";

export class ServiceError extends Error {}

export function useToken(value) {
  token = value.trim();
}

/** The name that the history gives for changes. */
export function useAuthor(value) {
  author = value.trim();
}

async function request(path, options = {}) {
  const headers = token ? { authorization: `Bearer ${token}` } : {};
  if (options.body !== undefined) headers["content-type"] = "application/json";
  let answer;
  try {
    answer = await fetch(new URL(path, ROOT), { ...options, headers, credentials: "omit" });
  } catch {
    throw new ServiceError("The service does not respond. Is deixis serve still running?");
  }
  const body = await answer.json().catch(() => ({}));
  if (answer.ok) return body;
  if (answer.status === 401) throw new ServiceError("This needs the access token of the service. Enter it in Settings.");
  const reason = body.error?.message ?? body.detail ?? answer.statusText;
  const wait = answer.status === 429 ? ` Try again in ${answer.headers.get("retry-after") ?? "some"} seconds.` : "";
  throw new ServiceError(`${typeof reason === "string" ? reason : JSON.stringify(reason)}${wait}`);
}

const posted = (path, record) => request(path, { method: "POST", body: JSON.stringify(record) });
const query = (values) => new URLSearchParams(values).toString();

export const about = () => request("ready");
export const link = (text, overlaps, mentions = null) => posted("link", { text, overlaps, mentions });
export const label = (text) => posted("label", { text });
export const explain = (text, start, end, entity) => posted("explain", { text, start, end, entity });
export const learn = (corrections) => posted("learn", { corrections, author });
export const add = (entity) => posted("entities/add", { entities: [entity], author });
export const undo = (generation) => posted("undo", { generation, author });
export const changes = () => request("changes?limit=100");
export const search = (name, limit = 8) => request(`entities?${query({ q: name, limit })}`);
export const entities = async (ids) => (await posted("entities", { ids })).entities;
export const branches = (level, node) => request(`tree?${query({ level, node })}`);
export const wayTo = (id) => request(`tree/way?${query({ entity: id })}`);
