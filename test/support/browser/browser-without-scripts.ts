import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";

/** A person with a browser in which no script runs. */
export interface BrowserWithoutScripts {
  open(path: string): Promise<Answer>;
  /** Sends a form of a page as a browser would: with its hidden and filled-in fields, and `values` in place of their values. */
  send(page: Answer, action: string, values?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Opens the page to which a form redirects. */
  follow(answer: Answer): Promise<Answer>;
}

/** `headers` are those of a signed-in browser. Without them, nobody is signed in. */
export function createBrowserWithoutScripts(
  service: Service,
  headers: Readonly<Record<string, string>> = {},
): BrowserWithoutScripts {
  const own = { accept: "text/html", origin: service.baseUrl, ...headers };
  const open = (path: string) => service.request("GET", path, { headers: own });
  return {
    open,
    send: (page, action, values = {}) =>
      service.request("POST", action, {
        headers: { ...own, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ ...fieldsOf(formOf(page, action)), ...values }).toString(),
      }),
    follow: (answer) => open(locationOf(answer)),
  };
}

/** The path to which an answer redirects the browser, without the message about the action. */
export const locationOf = ({ headers }: Answer): string =>
  headers.get("location")?.split(/\?done=|#/)[0] ?? "";

/** The visible text of a page. White space is reduced to single spaces. */
export const readingOf = ({ text }: Answer): string =>
  plain(text.replace(/<(script|style)[\s\S]*?<\/\1>/g, "").replace(/<[^>]*>/g, " ")).replace(/\s+/g, " ");

/**
 * The HTML inside the first form with the address `action`, of the form itself or of one of its buttons. Throws if
 * there is no such form.
 */
export function formOf({ text }: Answer, action: string): string {
  for (const [, attributes = "", inside = ""] of text.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/g)) {
    if (attributeOf(attributes, "action") === action) return inside;
    if (inside.includes(`formaction="${action}"`)) return inside;
  }
  throw new Error(`There is no form to ${action}`);
}

/** The fields that a browser would send for an unchanged form, without buttons. */
export function fieldsOf(form: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [, attributes = ""] of form.matchAll(/<input\b([^>]*)>/g)) {
    const type = attributeOf(attributes, "type");
    const ticked = !["checkbox", "radio"].includes(type ?? "") || /\schecked/.test(attributes);
    if (ticked) fields[attributeOf(attributes, "name") ?? ""] = attributeOf(attributes, "value") ?? "";
  }
  for (const [, attributes = "", value = ""] of form.matchAll(
    /<textarea\b([^>]*)>\n?([\s\S]*?)<\/textarea>/g,
  ))
    fields[attributeOf(attributes, "name") ?? ""] = plain(value);
  for (const [, attributes = "", options = ""] of form.matchAll(/<select\b([^>]*)>([\s\S]*?)<\/select>/g))
    fields[attributeOf(attributes, "name") ?? ""] = chosenOf(options);
  return fields;
}

function chosenOf(options: string): string {
  const all = [...options.matchAll(/<option\b([^>]*)>/g)].map(([, attributes = ""]) => attributes);
  return attributeOf(all.find((option) => /\sselected/.test(option)) ?? all[0] ?? "", "value") ?? "";
}

function attributeOf(attributes: string, name: string): string | undefined {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1];
  return value === undefined ? undefined : plain(value);
}

const plain = (text: string): string =>
  text
    .replace(/&(lt|gt|quot|#39);/g, (_, name: string) => ({ lt: "<", gt: ">", quot: '"' })[name] ?? "'")
    .replaceAll("&amp;", "&");
