import type * as z from "zod/mini";
import { limits } from "./limits.ts";

/** One fault of a request: where (`images.1`, `sortOrder`; empty for the whole) and what is wanted there. */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The fault of an id that has another form than ids have. */
export const notUuid = "must be a UUID";

/** Give this to each parse whose faults are shown: other libraries may set messages of their own for the whole process. */
export const ownMessages: z.core.ParseContext<z.core.$ZodIssue> = { error: (issue) => tell(issue) };

/** Tells the faults that a schema found, the first 20, as sentence parts that fit after the field's name. */
export const issuesOf = (error: z.core.$ZodError): Issue[] =>
  error.issues.slice(0, limits.namedFaults).map(({ path, message }) => ({ path: path.join("."), message }));

function tell(issue: z.core.$ZodRawIssue<z.core.$ZodIssue>): string {
  switch (issue.code) {
    case "invalid_type":
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value":
      return `must be one of ${issue.values.map((value) => `\`${String(value)}\``).join(", ")}`;
    case "too_small":
      return issue.origin === "number" || issue.origin === "int"
        ? `must be at least ${issue.minimum}`
        : `must have at least ${issue.minimum}`;
    case "too_big":
      return issue.origin === "array"
        ? `must have at most ${issue.maximum} elements`
        : `must be at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "guid" ? notUuid : `must be a valid ${issue.format}`;
    default:
      return "is not valid";
  }
}

const withArticle = (expected: string) => {
  if (expected === "int") return "an integer";
  if (expected === "record") return "an object";
  return /^[aeio]/.test(expected) ? `an ${expected}` : `a ${expected}`;
};
