import type { Issue } from "../contract/issues.ts";
import { ServerError, UnexpectedAnswerError } from "./errors.ts";
import { retryAfterSeconds } from "./retry-after.ts";
import type { WireAnswer } from "./wire.ts";

/**
 * The value of an answer, with all that the server put into it; undefined for a 204. Throws a ServerError for an error,
 * an UnexpectedAnswerError for a success that is not JSON.
 */
export function readAnswer(answer: WireAnswer, request: { method: string; url: URL }, now: Date): unknown {
  const { status } = answer;
  const json = jsonOf(answer.text);
  if (status >= 400) throw serverError(answer, json?.value, now);
  if (status < 200 || status >= 300) throw unexpected(answer, request);
  if (status === 204 || status === 205) return undefined;
  if (!json) throw unexpected(answer, request);
  return json.value;
}

function serverError(answer: WireAnswer, body: unknown, now: Date): ServerError {
  const { status, headers } = answer;
  return new ServerError({
    status,
    code: textAt(body, "code") ?? textAt(at(body, "error"), "code") ?? `http_${status}`,
    message: messageIn(body) ?? `The server answered with status ${status}${kindOf(answer)}.`,
    issues: issuesIn(body),
    requestId: headers["x-request-id"] ?? textAt(body, "requestId"),
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
    `${what}, not with the JSON of an Innkeep server. Is this the address of one?`,
  );
}

/** Other servers put the sentence elsewhere than ours does. */
const messageIn = (body: unknown): string | undefined =>
  textAt(body, "error") ?? textAt(body, "message") ?? textAt(at(body, "error"), "message");

function issuesIn(body: unknown): Issue[] {
  const issues = at(body, "issues");
  if (!Array.isArray(issues)) return [];
  return issues.map((issue: unknown) => ({
    path: textAt(issue, "path") ?? "",
    message: textAt(issue, "message") ?? "is not valid",
  }));
}

function jsonOf(text: string): { readonly value: unknown } | undefined {
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

const at = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;

function textAt(value: unknown, name: string): string | undefined {
  const text = at(value, name);
  return typeof text === "string" && text !== "" ? text : undefined;
}
