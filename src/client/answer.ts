import type { Issue } from "../contract/errors.ts";
import { isNestedDeeperThan, isObject, listAt, textAt, valueAt } from "../contract/json.ts";
import type { WireAnswer } from "./call.ts";
import { ServerError, UnexpectedAnswerError } from "./errors.ts";
import type { Route, Shape } from "./routes.ts";

interface SentRequest {
  readonly method: string;
  readonly url: URL;
}

/** A successful answer, and the request to which it belongs. */
export interface Success extends WireAnswer {
  readonly request: SentRequest;
}

/**
 * Returns the answer if its status is 2xx. Throws a ServerError for a status from 400 on, and an UnexpectedAnswerError
 * for any other status.
 */
export function successIn(answer: WireAnswer, request: SentRequest, now: Date): Success {
  if (answer.status >= 400) throw serverError(answer, jsonOf(answer.text)?.value, now);
  if (answer.status < 200 || answer.status >= 300) throw unexpected(answer, request);
  return { ...answer, request };
}

/**
 * Returns the JSON value of a successful answer, including unknown fields. Undefined for a 204, for a download, and for
 * a 202 of a route with `pending`. If the shape of the route is open, a 201 without a body becomes an empty object.
 * Throws an UnexpectedAnswerError if the answer is not JSON, does not have the shape of the route's answers, or is
 * about a different object than the request. (rule L60)
 */
export function contentOf(
  success: Success,
  { answer, pending, repeats, download }: Pick<Route, "answer" | "pending" | "repeats" | "download">,
  params: Readonly<Record<string, unknown>> = {},
): unknown {
  if (success.status === 204 || success.status === 205 || (pending && success.status === 202))
    return undefined;
  if (download) return undefined;
  if (answer?.isOpen && success.status === 201 && success.text === "") return {};
  const json = jsonOf(success.text);
  if (!json || (answer && !fits(json.value, answer))) throw unexpected(success, success.request);
  if (repeats && !isSame(valueAt(json.value, "id"), params[repeats]))
    throw unexpected(success, success.request);
  return json.value;
}

/**
 * Whether an answer has the expected shape. Fields may be missing or unknown, because servers differ. If the shape is
 * not open, an object must have at least one of the expected fields. (rule L60)
 */
function fits(value: unknown, { isList, fields, isOpen = false }: Shape): boolean {
  if (Array.isArray(value)) return isList;
  if (isList || !isObject(value)) return false;
  return isOpen || fields.some((name) => name in value);
}

const isSame = (answered: unknown, asked: unknown): boolean =>
  typeof answered === "string" && answered.toLowerCase() === String(asked).trim().toLowerCase();

function serverError(answer: WireAnswer, body: unknown, now: Date): ServerError {
  const { status, headers } = answer;
  return new ServerError({
    status,
    code: textAt(body, "code") || textAt(body, "error", "code") || `http_${status}`,
    message: messageIn(body) ?? `The server answered with status ${status}${kindOf(answer)}.`,
    issues: issuesIn(body),
    requestId: headers["x-request-id"] ?? (textAt(body, "requestId") || undefined),
    retryAfterSeconds: retryAfterSeconds(headers["retry-after"], headers.date, now),
    body,
  });
}

function unexpected(
  answer: WireAnswer,
  { method, url }: { method: string; url: URL },
): UnexpectedAnswerError {
  const what = `${method} ${url.origin}${url.pathname} was answered with status ${answer.status}${kindOf(answer)}`;
  return new UnexpectedAnswerError(
    answer.status,
    `${what}, and that is not the answer of an Innkeep server. Is this the address of an Innkeep server?`,
  );
}

/**
 * Returns the message of an error. Searches several fields, because servers other than Innkeep use different fields.
 */
const messageIn = (body: unknown): string | undefined =>
  textAt(body, "error") || textAt(body, "message") || textAt(body, "error", "message") || undefined;

/** Returns the faults that an error answer lists. */
export function issuesIn(body: unknown): Issue[] {
  return listAt(body, "issues").map((issue) => ({
    path: textAt(issue, "path"),
    message: textAt(issue, "message") || "is not valid",
  }));
}

/**
 * The maximum number of nesting levels in an accepted answer. Answers of the API have fewer levels: metadata has five.
 * (rule L16)
 */
const mostLevels = 100;

function jsonOf(text: string): { readonly value: unknown } | undefined {
  if (isNestedDeeperThan(text, mostLevels)) return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function kindOf({ headers, text }: WireAnswer): string {
  if (text === "") return " and an empty body";
  const [kind] = headers["content-type"]?.split(";") ?? [];
  return kind && kind !== "application/json" ? ` and ${kind.trim()}` : "";
}

/** The maximum time of a Retry-After header: one year. A longer time is cut, because a server may send any number. */
const mostRetryAfterSeconds = 31_536_000;

/**
 * Reads a Retry-After header (a number of seconds or an HTTP date) as whole seconds from now. A date is compared with
 * the server's own `Date` header, if there is one, because clocks may differ. Undefined for a missing or malformed
 * header.
 */
function retryAfterSeconds(
  header: string | undefined,
  serverDate: string | undefined,
  now: Date,
): number | undefined {
  const value = header?.trim();
  if (!value) return undefined;
  if (/^\d+$/.test(value)) return Math.min(Number(value), mostRetryAfterSeconds);
  const then = Date.parse(value);
  if (Number.isNaN(then)) return undefined;
  const from = Date.parse(serverDate ?? "");
  const seconds = Math.ceil((then - (Number.isNaN(from) ? now.getTime() : from)) / 1_000);
  return Math.min(Math.max(0, seconds), mostRetryAfterSeconds);
}
