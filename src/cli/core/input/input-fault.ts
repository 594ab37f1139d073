/** One thing that is wrong with what was given: under which flag, and what is wanted there. */
export interface InputFault {
  readonly flag: string;
  readonly message: string;
}

/** Either what was asked for, or all that stands in its way. */
export interface Checked<Value> {
  readonly value: Value;
  readonly faults: readonly InputFault[];
}

/** The flag that gives a field of the request: `dedupeKey` comes from `--dedupe-key`. */
export const flagOf = (field: string): string =>
  `--${field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
