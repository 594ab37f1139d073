import { createHash } from "node:crypto";
import type { ApiError } from "../../src/contract/errors.ts";
import type { Fields } from "./form-values.tsx";
import type { Filled } from "./forms.tsx";

/** A form with these values that was not sent yet. */
export const filledWith = (values: Readonly<Record<string, string>> = {}): Filled => ({
  value: (name) => values[name] ?? "",
});

/** A form as it was sent, with its refusal. */
export const filledAgain = (fields: Fields, refusal: ApiError): Filled => ({
  value: fields.text,
  refusal,
  sent: true,
});

/** A short hash that identifies a version of a value. */
export const versionOf = (value: unknown): string =>
  createHash("sha256").update(JSON.stringify(value)).digest("base64url").slice(0, 16);
