import { type Command, InvalidArgumentError } from "commander";
import type { Success } from "../../client/calls/answer.ts";
import { redactHeaders } from "../../client/calls/redact.ts";
import { rawRoute } from "../core/connection/raw-route.ts";
import { usageError } from "../core/failures/cli-error.ts";
import { mutates } from "../core/input/flags.ts";
import { splitPair } from "../core/input/split-pair.ts";
import { textOf } from "../core/input/text-flag.ts";
import { printOne } from "../core/output/output.ts";
import { commandAction, type Setup } from "../core/program/command-action.ts";
import type { Invocation } from "../core/program/context.ts";

type Fields = Readonly<Record<string, unknown>>;

interface ApiFlags {
  readonly method?: string;
  readonly field?: Fields;
  readonly jsonField?: Fields;
  readonly body?: string;
  readonly include?: boolean;
}

export function addApi(api: Command, setup: Setup): void {
  mutates(api)
    .argument("<path>", "such as /api/v1/faqs/remote")
    .option("-X, --method <method>", "GET unless given, POST with a body")
    .option("-f, --field <name=text>", "one field of the body, as text; several times", textField)
    .option("-F, --json-field <name=json>", "one field of the body, as JSON; several times", jsonField)
    .option("--body <json>", "the whole body; `-` is standard input, `@file` a file")
    .option("-i, --include", "status and headers, too");
  commandAction<ApiFlags, string>(api, setup, callApi);
}

async function callApi(invocation: Invocation, flags: ApiFlags, path: string): Promise<undefined> {
  const body = await bodyOf(invocation, flags);
  const route = rawRoute(flags.method ?? (body === undefined ? "GET" : "POST"), path, invocation.baseUrl());
  const success = await invocation.sender()(route, { body });
  const content = jsonOr(success.text);
  if (flags.include) printOne(invocation, { ...headOf(success), body: content }, () => asOnTheWire(success));
  else printOne(invocation, content, () => success.text.trimEnd());
}

async function bodyOf(invocation: Invocation, { field, jsonField: json, body }: ApiFlags): Promise<unknown> {
  if (body === undefined) return field || json ? { ...field, ...json } : undefined;
  if (field || json) throw usageError("--body is the whole body. Leave out --field and --json-field.");
  try {
    return JSON.parse(await textOf(invocation, "--body", body));
  } catch (error) {
    throw error instanceof SyntaxError ? usageError("--body is not JSON.") : error;
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
    throw new InvalidArgumentError("The value must be JSON.");
  }
}

const headOf = ({ status, headers }: Success) => ({ status, headers: redactHeaders(headers) });

function asOnTheWire(success: Success): string {
  const { status, headers } = headOf(success);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [String(status), ...lines, "", success.text.trimEnd()].join("\n");
}

/** The value of a JSON text; the text itself if it is not JSON; null for an empty text. */
function jsonOr(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
