import { type Fields, fieldsOf, jsonIn, textAt } from "../../contract/json.ts";
import { choices } from "../core/choices.ts";
import { didYouMean, usageError } from "../core/cli-error.ts";
import type { Invocation } from "../core/context.ts";
import { printOne } from "../core/output.ts";
import { callDevServer, itemsOf } from "./development-server.ts";

export interface TriggerFlags {
  readonly set?: readonly string[];
  readonly app?: string;
}

/** Lets the development server cause an event, and prints the events that followed. (rule O35) */
export async function trigger(
  invocation: Invocation,
  { set = [], app }: TriggerFlags,
  event: string,
): Promise<undefined> {
  if (!choices.eventTypes.some((type) => type === event))
    throw usageError(
      `There is no event \`${event}\`.${didYouMean(event, choices.eventTypes)}`,
      `There are: ${choices.eventTypes.join(", ")}`,
    );
  const body = { event, set: objectOf(set), ...(app === undefined ? {} : { app }) };
  const answer = await callDevServer(invocation, { method: "POST", path: "/dev/trigger", body });
  printOne(invocation, answer, () => itemsOf(answer).map(lineOf).join("\n"));
}

const lineOf = (event: Fields): string =>
  `${textAt(event, "type")}  ${textAt(event, "id")}  ${textAt(event, "data", "url")}`;

/**
 * Returns one object with the values of all `path=text` and `path:=json`. A dot in a path leads to a field of an inner
 * object.
 */
function objectOf(given: readonly string[]): Fields {
  return given.map(pairOf).reduce<Fields>((whole, { path, value }) => withValue(whole, path, value), {});
}

function withValue(whole: Fields, [name = "", ...rest]: readonly string[], value: unknown): Fields {
  return { ...whole, [name]: rest.length === 0 ? value : withValue(fieldsOf(whole[name]), rest, value) };
}

function pairOf(given: string): { readonly path: readonly string[]; readonly value: unknown } {
  const at = given.indexOf("=");
  const isJson = given[at - 1] === ":";
  const path = given.slice(0, isJson ? at - 1 : Math.max(0, at)).split(".");
  if (path.some((name) => name.trim() === "" || name === "__proto__"))
    throw usageError(`--set must be path=value or path:=json, not "${given}".`);
  const text = given.slice(at + 1);
  const value = isJson ? jsonIn(text) : text;
  if (value === undefined) throw usageError(`--set ${path.join(".")} must be JSON after \`:=\`.`);
  return { path, value };
}
