import type { Answer } from "./request.ts";

/** The faults that a 400 names, as `path: message`, sorted. */
export function issuesOf({ status, body }: Answer): string[] {
  if (status !== 400 || !isRefusal(body))
    throw new Error(`Not a 400 with issues: ${status} ${JSON.stringify(body)}`);
  return body.issues.map(({ path, message }) => `${path}: ${message}`).sort();
}

/** The paths of the faults that a 400 names, sorted. */
export const faultyPaths = (answer: Answer): string[] =>
  issuesOf(answer).map((issue) => issue.split(": ", 1)[0] ?? "");

interface Refusal {
  readonly issues: { readonly path: string; readonly message: string }[];
}

const isRefusal = (body: unknown): body is Refusal =>
  typeof body === "object" && body !== null && "issues" in body && Array.isArray(body.issues);
