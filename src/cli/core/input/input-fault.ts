/** A fault in the input: the flag, and what it needs. */
export interface InputFault {
  readonly flag: string;
  readonly message: string;
}

/** Either the result, or all faults that prevent it. */
export interface Checked<Value> {
  readonly value: Value;
  readonly faults: readonly InputFault[];
}

/** The flag of a field of the request: `--dedupe-key` for `dedupeKey`. */
export const flagOf = (field: string): string =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
