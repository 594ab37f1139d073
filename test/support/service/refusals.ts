import { type ErrorCode, errorCatalogue } from "../../../src/contract/errors.ts";
import type { Answer } from "./request.ts";

/** The pattern of an answer that refuses with a code. */
export const refusal = (status: number, code: ErrorCode, details: object = {}) => ({
  status,
  body: { code, ...details },
});

const bodyKeys = ["error", "code", "issues", "dayIndex", "reasons", "runId", "requestId"];

/** The faults of an error answer; empty without one. */
export function faultsOf({ status, headers, body, text }: Answer): string[] {
  if (typeof body !== "object" || body === null) return [`The body is no JSON object: ${text.slice(0, 200)}`];
  const entries = new Map<string, unknown>(Object.entries(body));
  const code = entries.get("code");
  const faults = [
    [status < 400, `The status ${status} is no error`],
    [!isCode(code), `The code ${code} is not in the catalogue`],
    [isCode(code) && errorCatalogue[code].status !== status, `The code ${code} came with status ${status}`],
    [!/^[A-Z`].{8,}\.$/su.test(String(entries.get("error"))), `This is no sentence: ${entries.get("error")}`],
    [[...entries.keys()].some((key) => !bodyKeys.includes(key)), `The body has more than it may: ${text}`],
    [code === "bad_request" && !entries.has("issues"), "A malformed request has no issues"],
    [entries.has("issues") && !withIssues.has(String(code)), `Issues do not belong to ${code}`],
    [entries.has("dayIndex") && !withDay.has(String(code)), `A day does not belong to ${code}`],
    [entries.has("reasons") !== (code === "integrity_failed"), "Reasons belong to integrity_failed alone"],
    [entries.has("runId") !== (code === "run_superseded"), "A run belongs to run_superseded alone"],
    [entries.has("requestId") !== (status === 500), "A requestId belongs to 500, and to nothing else"],
    [headers.get("content-type") !== "application/json; charset=utf-8", "The content type is not JSON"],
    [headers.get("cache-control") !== "no-store", "It may be cached"],
    [!headers.has("x-request-id"), "It has no X-Request-Id"],
    [
      headers.has("retry-after") !== hasPause(code),
      "Retry-After belongs to what passes, and to nothing else",
    ],
    [headers.has("allow") !== (status === 405), "Allow belongs to 405, and to nothing else"],
  ] as const;
  return faults.filter(([isFault]) => isFault).map(([, fault]) => fault);
}

const withIssues = new Set(["bad_request", "no_images", "bad_image"]);

const withDay = new Set(["out_of_window", "already_submitted", "no_images", "bad_image"]);

const isCode = (code: unknown): code is ErrorCode =>
  typeof code === "string" && Object.hasOwn(errorCatalogue, code);

const hasPause = (code: unknown): boolean =>
  code === "rate_limited" || code === "busy" || code === "idempotency_in_progress";
