import { type Command, InvalidArgumentError, Option } from "commander";
import type { CredentialKind } from "../client/connection.ts";
import { redactHeaders } from "../client/redact.ts";
import { type Route, routes } from "../client/routes.ts";
import type { Success } from "../client/send.ts";
import { isText, valueAt } from "../contract/json.ts";
import { escapedJson, shownAddress } from "../words/visible.ts";
import { usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, mutates, type Setup, splitPair } from "./core/command.ts";
import { allPages } from "./core/connection.ts";
import type { Invocation } from "./core/context.ts";
import { rawTextOf, readText } from "./core/input.ts";
import { printOne } from "./core/output.ts";

type Fields = Readonly<Record<string, unknown>>;

interface ApiFlags {
  readonly method?: string;
  readonly field?: Fields;
  readonly jsonField?: Fields;
  readonly body?: string;
  readonly inputFile?: string;
  readonly include?: boolean;
  readonly paginate?: boolean;
}

export function addApi(api: Command, setup: Setup): void {
  mutates(api)
    .argument("<path>", "such as /api/v1/faqs/remote")
    .option("-X, --method <method>", "default: GET, or POST with a body")
    .option("-f, --field <name=text>", "one field of the body, as text; repeatable", textField)
    .option("-F, --json-field <name=json>", "one field of the body, as JSON; repeatable", jsonField)
    .option("--body <json>", "the whole body; `-` is standard input, `@file` a file")
    .addOption(inputFile())
    .option(
      "--paginate",
      "read all pages of a list; prints one page on each line in a pipe, and one list with --json",
    )
    .option("-i, --include", "also print the status and the headers");
  addExamples(
    api,
    "innkeep api /api/v1/faqs/remote",
    "innkeep api /api/v1/console/audit --paginate",
    "innkeep api /api/v1/faqs/remote --input entry.json --include",
    'innkeep api /api/v1/faqs/remote --field question="How do I sync?" --field answer="Tap Sync."',
  );
  commandAction<ApiFlags, string>(api, setup, callApi);
}

/**
 * Creates the flag `--input`. Its value has the name `inputFile`, because the global flag `--no-input` uses the name
 * `input`.
 */
function inputFile(): Option {
  const option = new Option("--input <file>", "the whole body, from this file; `-` is standard input");
  option.attributeName = () => "inputFile";
  return option;
}

async function callApi(invocation: Invocation, flags: ApiFlags, path: string): Promise<undefined> {
  const body = await bodyOf(invocation, flags);
  const route = rawRoute(flags.method ?? (body === undefined ? "GET" : "POST"), path, invocation.baseUrl());
  if (flags.paginate) return printPages(invocation, flags, route);
  const success = await invocation.sender()(route, { body });
  const content = jsonOr(success.text);
  if (flags.include) printOne(invocation, { ...headOf(success), body: content }, () => asOnTheWire(success));
  else printOne(invocation, content, () => shownText(success.text));
}

/**
 * Returns the body of an answer for printing. The caller removes invisible characters from texts that are not
 * JSON.
 */
const shownText = (text: string): string =>
  typeof jsonOr(text) === "string" ? text.trimEnd() : escapedJson(text.trimEnd());

/** Prints each page when it is read. With `--json`, `--fields` or `--raw`, prints all pages as one list. */
async function printPages(invocation: Invocation, { include }: ApiFlags, route: Route): Promise<undefined> {
  if (route.method !== "GET")
    throw usageError("--paginate only reads lists. Leave out --method and the body.");
  const send = invocation.sender();
  const pages = allPages(async (cursor) => {
    const success = await send(
      cursor === undefined ? route : { ...route, path: withCursor(route.path, cursor) },
    );
    return { success, content: jsonOr(success.text), nextCursor: nextCursorOf(jsonOr(success.text)) };
  });
  const { json, fields, raw } = invocation.flags;
  const isOneValue = json || fields !== undefined || raw !== undefined;
  const read = [];
  for await (const { success, content } of pages) {
    if (isOneValue) read.push(include ? { ...headOf(success), body: content } : content);
    else printOne(invocation, content, () => (include ? asOnTheWire(success) : shownText(success.text)));
  }
  if (isOneValue) printOne(invocation, include ? { pages: read } : joined(read), () => "");
}

function withCursor(path: string, cursor: string): string {
  const url = new URL(path, "http://localhost");
  url.searchParams.set("cursor", cursor);
  return url.pathname + url.search;
}

function nextCursorOf(content: unknown): string | undefined {
  const cursor = valueAt(content, "nextCursor");
  return isText(cursor) ? cursor : undefined;
}

/** Joins pages. Each list contains the items of all pages. Other fields come from the last page. */
function joined(pages: readonly unknown[]): unknown {
  if (pages.length < 2) return pages[0];
  const lists = new Map<string, unknown[]>();
  for (const page of pages)
    for (const [name, value] of Object.entries(Object(page))) {
      if (!Array.isArray(value)) continue;
      const list = lists.get(name) ?? [];
      for (const one of value) list.push(one);
      lists.set(name, list);
    }
  const fields = Object.entries(Object(pages.at(-1)));
  return Object.fromEntries(
    fields.map(([name, value]) => [name, Array.isArray(value) ? lists.get(name) : value]),
  );
}

async function bodyOf(invocation: Invocation, flags: ApiFlags): Promise<unknown> {
  const { field, jsonField: json, body, inputFile: input } = flags;
  if (body === undefined && input === undefined) return field || json ? { ...field, ...json } : undefined;
  const flag = body === undefined ? "--input" : "--body";
  if (field || json) throw usageError(`${flag} is the whole body. Leave out --field and --json-field.`);
  if (body !== undefined && input !== undefined) throw usageError("Give --body or --input, not both.");
  const text =
    input === undefined ? rawTextOf(invocation, flag, body ?? "") : readText(invocation.context, flag, input);
  try {
    return JSON.parse(await text);
  } catch (error) {
    throw error instanceof SyntaxError ? usageError(`${flag} is not JSON.`) : error;
  }
}

const textField = (given: string, before: Fields = {}): Fields => {
  const [name, text] = splitPair(given);
  return { ...before, [name]: text };
};

function jsonField(given: string, before: Fields = {}): Fields {
  const [name, json] = splitPair(given);
  try {
    return { ...before, [name]: JSON.parse(json) };
  } catch {
    throw new InvalidArgumentError("It must be NAME=JSON, with valid JSON.");
  }
}

const headOf = ({ status, headers }: Success) => ({ status, headers: redactHeaders(headers) });

function asOnTheWire(success: Success): string {
  const { status, headers } = headOf(success);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [String(status), ...lines, "", shownText(success.text)].join("\n");
}

/** Returns the value of a JSON text. Returns null for an empty text, and any other text unchanged. */
function jsonOr(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const methods = ["GET", "POST", "PATCH", "PUT", "DELETE"] as const;

/** The kind of credential for each prefix of an address. Used only for addresses that are not in the contract. */
const prefixes: readonly (readonly [RegExp, CredentialKind | "none"])[] = [
  [/^\/api\/v1\/testing\/auth\//, "none"],
  [/^\/api\/v1\/testing\/sdk\//, "appKey"],
  [/^\/api\/v1\/testing\//, "deviceToken"],
  [/^\/api\/v1\/agent\//, "agentToken"],
  [/^\/api\/v1\/console\//, "maintainerToken"],
  [/^\/api\/v1\/(feedback|faqs|changelog)\//, "appKey"],
];

function rawRoute(method: string, given: string, baseUrl: string): Route {
  const known = methods.find((one) => one === method.toUpperCase());
  if (!known) throw usageError(`${method} is not a method.`, `The methods are ${methods.join(", ")}.`);
  const path = pathOf(given, baseUrl);
  return { method: known, path, auth: authFor(known, path.replace(/\?.*/s, "")), summary: "", large: true };
}

/**
 * Returns the path and the query, relative to the base URL. Throws a usage error for a Windows path and for an
 * address on another server.
 */
function pathOf(given: string, baseUrl: string): string {
  if (/^[A-Za-z]:[\\/]/.test(given)) {
    throw usageError(
      "This shell turned the path into a file name.",
      "Set MSYS_NO_PATHCONV=1, or leave out the first slash.",
    );
  }
  const absolute = /^https?:\/\//i.test(given);
  if (absolute && !`${given}/`.startsWith(`${baseUrl}/`)) {
    throw usageError(
      `${shownAddress(given)} is not on ${baseUrl}.`,
      "A credential is sent only to its own server. --base-url chooses another server.",
    );
  }
  const url = new URL(
    absolute ? given.slice(baseUrl.length) : `/${given.replace(/^\/+/, "")}`,
    "http://localhost",
  );
  return url.pathname + url.search;
}

const authFor = (method: string, path: string): Route["auth"] =>
  Object.values(routes)
    .flatMap((group): Route[] => Object.values(group))
    .find((route) => route.method === method && patternOf(route.path).test(path))?.auth ??
  prefixes.find(([prefix]) => prefix.test(path))?.[1] ??
  "none";

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:\w+/g, "[^/]+")}$`);
