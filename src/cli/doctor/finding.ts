import { failureOf } from "../core/failures.ts";

/** `warning`: it works, but not as well as it could, or not for long. `failure`: something does not work. */
export type State = "ok" | "note" | "warning" | "failure";

/** One thing that the doctor looked at. It never holds a secret. */
export interface Finding {
  /** What was looked at, in one or two words. */
  readonly check: string;
  readonly state: State;
  /** What was found. */
  readonly what: string;
  /** Why it matters, for a warning or a failure. */
  readonly why: string | null;
  /** The next command or setting. */
  readonly next: string | null;
}

/** A fault: what, why, and the next command. */
export interface Fault {
  readonly what: string;
  readonly why: string;
  readonly next: string;
}

export const ok = (check: string, what: string): Finding => ({
  check,
  state: "ok",
  what,
  why: null,
  next: null,
});

export const remark = (check: string, what: string): Finding => ({ ...ok(check, what), state: "note" });

export const warning = (check: string, fault: Fault): Finding => ({ check, state: "warning", ...fault });

export const failure = (check: string, fault: Fault): Finding => ({ check, state: "failure", ...fault });

/** An error as a fault, with its own next step if it has one. */
export function faultOf(error: unknown, { why, next }: Pick<Fault, "why" | "next">): Fault {
  const { message, next: own } = failureOf(error);
  return { what: message, why, next: own ?? next };
}
