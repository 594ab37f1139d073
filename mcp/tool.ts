import type { CallToolResult } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { issuesOf, ownMessages } from "../src/contract/errors.ts";
import { utcOf, uuid } from "../src/contract/fields.ts";
import { isObject } from "../src/contract/json.ts";
import { closest } from "../src/words/phrases.ts";
import type { Deps } from "./deps.ts";
import { feedbackIdOf, Refusal, runIdOf } from "./refusals.ts";
import type { Position } from "./thread.ts";

/** One call of a tool. */
export interface Call {
  readonly signal: AbortSignal;
  /**
   * Reports progress, if the client requested it: `seconds` of `of` seconds are over. `seconds` must increase
   * with each call.
   */
  readonly progress: (seconds: number, of: number) => Promise<void>;
  /** Offers the person a page. Undefined if the client cannot show a page. */
  readonly offerPage?: OfferPage | undefined;
}

/** The result of a tool: the same content as structured data and as text, and additional content such as images. */
export interface ToolAnswer<Output> {
  readonly structured: Output;
  readonly text: string;
  readonly beside?: CallToolResult["content"];
}

type Execution<Input, Output> = (input: Input, deps: Deps, call: Call) => Promise<ToolAnswer<Output>>;

/** Runs a tool with unchecked input. Rejects with a Refusal or an error of the API client. */
export type ToolRun = (given: unknown, deps: Deps, call: Call) => Promise<CallToolResult>;

/** Combines the definition of a tool and its code into a function that runs the tool. */
export const runOf =
  <Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
    { input }: ToolDefinition<Input, Output>,
    execute: Execution<z.output<Input>, z.input<Output>>,
  ): ToolRun =>
  async (given, deps, call) => {
    const { structured, text, beside = [] } = await execute(argumentsOf(input, given), deps, call);
    return { content: [{ type: "text", text }, ...beside], structuredContent: { ...structured } };
  };

/**
 * Returns the checked arguments. Optional arguments may be null or empty. Throws a Refusal with every fault.
 * (rule A63)
 */
function argumentsOf<Input extends z.ZodMiniObject>(input: Input, given: unknown): z.output<Input> {
  const named = withKnownNames(given ?? {}, Object.keys(input.shape));
  withoutEmpty(named.values, input);
  const first = z.safeParse(input, named.values, ownMessages);
  const result = first.success
    ? first
    : z.safeParse(input, withValues(named.values, first.error), ownMessages);
  const issues = result.success ? [] : issuesOf(result.error);
  const found = issues.map(({ path, message }) => `\`${path || "arguments"}\` ${message}`);
  const ofForm = faultsOfForm(named.values);
  const [only = ""] = ofForm;
  const faults = [...named.faults, ...found, ...ofForm.map((fault) => fault.replace(/\.$/, ""))];
  if (result.success && faults.length === 0) return result.data;
  if (faults.length === 1 && ofForm.length === 1) throw new Refusal(only);
  throw new Refusal(`Nothing was done: ${faults.join("; ")}. Correct this, then call again.`);
}

/** Removes the optional arguments that are null or empty. */
function withoutEmpty(values: unknown, { shape }: z.ZodMiniObject): void {
  if (!isObject(values)) return;
  for (const [name, value] of Object.entries(values)) {
    const isEmpty = value === null || (typeof value === "string" && value.trim() === "");
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (isEmpty && schema && z.safeParse(schema, undefined).success) Reflect.deleteProperty(values, name);
  }
}

/** Returns the faults of the arguments that must have a fixed form, such as an id. */
function faultsOfForm(values: unknown): string[] {
  if (!isObject(values)) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    const check = Object.hasOwn(forms, name) ? forms[name] : undefined;
    return check && typeof value === "string" ? faultOf(() => check(value)) : [];
  });
}

function faultOf(check: () => unknown): string[] {
  try {
    check();
    return [];
  } catch (error) {
    if (error instanceof Refusal) return [error.message];
    throw error;
  }
}

/**
 * Names that models use by mistake, and the correct arguments. Answers have the field `feedback_id`, but the argument
 * is `feedback`.
 */
const otherNames: Readonly<Record<string, string>> = { feedback_id: "feedback" };

function withKnownNames(given: unknown, known: readonly string[]) {
  if (!isObject(given)) return { values: given, faults: [] };
  const values: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [name, value] of Object.entries(given)) {
    const other = otherNames[name];
    if (known.includes(name)) values[name] = value;
    else if (other && known.includes(other) && !(other in given)) values[other] = value;
    else faults.push(unknownName(name, known));
  }
  return { values, faults };
}

/** Describes an unknown argument. Its name comes from the client, so a name of an unusual form is not repeated. */
function unknownName(name: string, known: readonly string[]): string {
  const shown = /^\w{1,40}$/.test(name) ? `\`${name}\`` : "an argument";
  const near = closest(name.slice(0, 40), known);
  return `${shown} is unknown${near ? ` (did you mean \`${near}\`?)` : `; the arguments are ${known.join(", ")}`}`;
}

/** Converts strings into required numbers and booleans, because some models write `"5"` instead of `5`. */
function withValues(values: unknown, error: z.core.$ZodError): unknown {
  if (!isObject(values)) return values;
  const entries = Object.entries(values).map(([name, value]) => {
    const isWrong = error.issues.some(({ path, code }) => path[0] === name && code === "invalid_type");
    const isPlain = typeof value === "string" && /^(-?\d{1,15}|true|false)$/.test(value.trim());
    return [name, isWrong && isPlain ? JSON.parse(value.trim()) : value];
  });
  return Object.fromEntries(entries);
}

/** Hints about a tool. They help a client to decide whether it asks its user before a call. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  /** Clients use this hint only if the tool changes something. */
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** The definition of a tool: all data that a client reads about it. */
export interface ToolDefinition<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: Output;
  readonly meta?: Record<string, unknown>;
}

export const defineTool = <Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> => definition;

/** The argument for a thread: its id or its console link. */
export const feedback = z.string().check(z.maxLength(500), z.describe("Feedback id (UUID) or console link"));

/** Reads a time; a date means 00:00 UTC. Throws a Refusal for any other text. */
export function instantIn(given: string): string {
  const text = given.trim();
  const instant = utcOf(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00Z` : text);
  if (instant !== undefined) return instant;
  throw new Refusal(
    "`updated_since` must be a day such as 2026-11-21, or an instant such as 2026-11-21T09:00:00Z.",
  );
}

/** Reads a position: a message id, or the number of older messages. Throws a Refusal for other texts. */
export function positionIn(given: string): Position {
  const text = given.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text);
  if (z.safeParse(uuid, text).success) return text.toLowerCase();
  throw new Refusal(
    "`messages_before` must be the next_cursor of an earlier answer. Leave it out to start with the newest messages.",
  );
}

/** The checks of texts with a fixed form. Each check throws a Refusal for a wrong form. */
const forms: Readonly<Record<string, (given: string) => unknown>> = {
  feedback: feedbackIdOf,
  run_id: (given) => runIdOf(given),
  expected_run_id: (given) => runIdOf(given, "expected_run_id"),
  messages_before: positionIn,
  updated_since: instantIn,
};

/**
 * A page that is offered to the person at the client. The server ignores whether the person accepts the offer.
 */
export interface Page {
  readonly url: string;
  readonly message: string;
}

/** Offers a page until `signal` aborts. Without a session, throws a PageOffer, which ends the call. */
export type OfferPage = (page: Page, signal: AbortSignal) => void;
