import type * as z from "zod/mini";
import { limits } from "./limits.ts";

/**
 * One fault of a request. `path` is the field (`images.1`, `sortOrder`; empty for the whole body). `message` says what
 * the value must be.
 */
export interface Issue {
  readonly path: string;
  readonly message: string;
}

/** The fault of an id that is not a UUID. */
export const notUuid = "must be a UUID";

/**
 * Options for each parse whose faults are shown, with our messages. The global messages of zod are not used, because
 * other libraries may change them.
 */
export const ownMessages: z.core.ParseContext<z.core.$ZodIssue> = { error: (issue) => sentenceOf(issue) };

/** Returns the first 20 faults that a schema found, as the ends of sentences that begin with the name of the field. */
export const issuesOf = (error: z.core.$ZodError): Issue[] =>
  error.issues.slice(0, limits.namedFaults).map(({ path, message }) => ({ path: path.join("."), message }));

/**
 * Returns the faults of a value that a schema refuses. It parses the value again, so that an accepted small request
 * does not need `ownMessages`, which takes several microseconds.
 */
export function faultsOf(schema: z.ZodMiniType, value: unknown): Issue[] {
  const { error } = schema.safeParse(value, ownMessages);
  return error ? issuesOf(error) : [];
}

function sentenceOf(issue: z.core.$ZodRawIssue<z.core.$ZodIssue>): string {
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `must be ${withArticle(issue.expected)}`;
    case "invalid_value": {
      const oneOf = `must be one of ${issue.values.map((value) => `\`${String(value)}\``).join(", ")}`;
      return issue.input === undefined ? `is missing; it ${oneOf}` : oneOf;
    }
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
