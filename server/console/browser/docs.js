// The script of the page about the API. Provides the search, and calls to the API with a typed key.

const byId = (id) => document.getElementById(id);
byId("docs-tools").hidden = false;
for (const part of document.querySelectorAll("[data-try]")) part.hidden = false;

const all = [...document.querySelectorAll("details.operation")];
const search = () => {
  const words = byId("docs-search").value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const operation of all) {
    operation.hidden = !words.every((word) => operation.dataset.words.includes(word));
    if (!operation.hidden) count += 1;
  }
  for (const section of document.querySelectorAll(".operations")) {
    section.hidden = !section.querySelector("details.operation:not([hidden])");
  }
  byId("docs-count").textContent = words.length === 0 ? "" : `${count} of ${all.length} operations`;
};
byId("docs-search").addEventListener("input", search);

const openNamed = () => {
  const named = byId(decodeURIComponent(location.hash.slice(1)));
  if (named?.matches("details")) named.open = true;
};
addEventListener("hashchange", openNamed);
openNamed();

const requestOf = (part) => {
  const headers = new Headers();
  const query = new URLSearchParams();
  let path = document.documentElement.dataset.base + part.dataset.path;
  for (const { value, dataset } of part.querySelectorAll("[data-param]")) {
    if (dataset.in === "path") path = path.replace(`{${dataset.param}}`, encodeURIComponent(value));
    else if (value !== "" && dataset.in === "query") query.set(dataset.param, value);
    else if (value !== "") headers.set(dataset.param, value);
  }
  const key = byId("docs-key").value.trim();
  if (key !== "" && part.dataset.credential === "x-api-key") headers.set("x-api-key", key);
  if (key !== "" && part.dataset.credential === "bearer") headers.set("Authorization", `Bearer ${key}`);
  const body = part.querySelector("[data-body]")?.value;
  if (body !== undefined) headers.set("Content-Type", "application/json");
  // The call does not use the console session of this browser. It sends only the typed key.
  /** @type {RequestInit} */
  const options = { method: part.dataset.method, headers, body, credentials: "omit", cache: "no-store" };
  return fetch(path + (query.size > 0 ? `?${query}` : ""), options);
};
const readable = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
};
const tell = (output, title, text) => {
  const head = document.createElement("b");
  head.textContent = title;
  const pre = document.createElement("pre");
  pre.className = "code";
  pre.tabIndex = 0;
  pre.textContent = text;
  output.replaceChildren(head, pre);
};
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-send]");
  if (!button) return;
  const part = button.closest("[data-try]");
  const output = part.querySelector("output");
  button.disabled = true;
  try {
    const answer = await requestOf(part);
    tell(output, `${answer.status} ${answer.statusText}`, readable(await answer.text()) || "(no body)");
  } catch (error) {
    tell(output, "The call failed", String(error));
  }
  button.disabled = false;
});
