import type { Issue } from "../../contract/issues.ts";

/** Further fields of a failure, for programs. */
interface FailureDetails {
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly issues?: readonly Issue[];
  /** Why attestation refused this device. */
  readonly reasons?: readonly string[];
  /** The day of the test that the failure is about. */
  readonly dayIndex?: number;
  /** The item that was not sent and is kept. */
  readonly spooled?: { readonly id: string; readonly outcome: string };
}

/** A failed command, for a person or a program. */
export interface Failure extends FailureDetails {
  readonly exit: Exit;
  readonly code: string;
  readonly message: string;
  /** What the reader does next: a command or a setting. */
  readonly next?: string;
}

/** A failure that a command explains: what happened and why, the next step, and the exit code. */
export class CliError extends Error {
  readonly exit: Exit;
  readonly code: string;
  /** What the reader does next: a command or a setting. */
  readonly next: string | undefined;
  readonly details: FailureDetails;

  constructor({ exit, code, message, next, ...details }: Failure) {
    super(message);
    this.name = "CliError";
    this.exit = exit;
    this.code = code;
    this.next = next;
    this.details = details;
  }
}

/** The command line itself is wrong. */
export const usageError = (message: string, next?: string, details?: FailureDetails) =>
  new CliError({ exit: "usage", code: "usage", message, next, ...details });

/** Every way a command ends. `innkeep help exit-codes` prints this table. */
export const exitCodes = {
  ok: { code: 0, meaning: "Done. Also for answers such as `matched: false`." },
  unexpected: { code: 1, meaning: "Something unexpected went wrong, or `doctor` found a fault." },
  usage: { code: 2, meaning: "The command line or a value in it is wrong." },
  differences: { code: 3, meaning: "There are differences, and --exit-code asked for them." },
  authentication: { code: 4, meaning: "A credential is missing, expired or not accepted." },
  forbidden: { code: 5, meaning: "Not allowed with this credential, or turned off for the app." },
  notFound: { code: 6, meaning: "Not found." },
  conflict: { code: 7, meaning: "Not possible in the current state." },
  pending: { code: 8, meaning: "Nobody has decided yet, or nothing came while the command waited." },
  rejected: { code: 9, meaning: "A person rejected the proposal." },
  incomplete: { code: 10, meaning: "Done, but files are missing in the backup: the answer lists them." },
  tryLater: { code: 75, meaning: "No connection, or the server is busy: try again later." },
  interrupted: { code: 130, meaning: "Interrupted." },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type Exit = keyof typeof exitCodes;

/** The word that was probably meant: the one with the fewest typing mistakes. Undefined if none is near. */
export function closest(given: string, words: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const ranked = words
    .map((word) => ({ word, mistakes: distance(wanted, word.toLowerCase()) }))
    .filter(
      ({ word, mistakes }) => mistakes <= Math.max(1, Math.floor(Math.max(word.length, given.length) / 3)),
    )
    .sort((a, b) => a.mistakes - b.mistakes);
  return ranked[0]?.word;
}

/** A sentence that asks for the probable word; empty if none is near. */
export function didYouMean(given: string, words: readonly string[]): string {
  const word = closest(given, words);
  return word === undefined ? "" : `\n(Did you mean ${word}?)`;
}

/** How many letters must be changed, added, removed or swapped with the next one. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const next = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const isSame = a[row - 1] === b[at - 1];
      const isSwapped = row > 1 && at > 1 && a[row - 1] === b[at - 2] && a[row - 2] === b[at - 1];
      next[at] = Math.min(
        (last[at] ?? 0) + 1,
        (next[at - 1] ?? 0) + 1,
        (last[at - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    before = last;
    last = next;
  }
  return last[b.length] ?? 0;
}
