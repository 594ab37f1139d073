import type { Issue } from "../../contract/errors.ts";
import { closest } from "../../words/phrases.ts";

/** Further facts about a failure, for programs that read the error. */
interface FailureDetails {
  readonly status?: number;
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  readonly issues?: readonly Issue[];
  /** The reasons why the attestation of this device failed. */
  readonly reasons?: readonly string[];
  /** The day of the test that the failure is about. */
  readonly dayIndex?: number;
  /** The report or proof that was not sent. It is stored on this machine and can be sent later. */
  readonly spooled?: { readonly id: string; readonly outcome: string };
}

/** The description of a failed command, for people and for programs. */
export interface Failure extends FailureDetails {
  readonly exit: Exit;
  readonly code: string;
  readonly message: string;
  /** The next step for the reader: a command or a setting. */
  readonly next?: string;
}

/** A failure that a command explains: what happened and why, the next step, and the exit code. */
export class CliError extends Error {
  readonly exit: Exit;
  readonly code: string;
  /** The next step for the reader: a command or a setting. */
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

/** Returns the error for a wrong command line. */
export const usageError = (message: string, next?: string, details?: FailureDetails) =>
  new CliError({ exit: "usage", code: "usage", message, next, ...details });

/** The error for a question that the person did not answer, for example because Ctrl-D ended the input. */
export class Unanswered extends CliError {
  constructor() {
    super({
      exit: "usage",
      code: "usage",
      message: "The input ended before the question was answered.",
      next: "Run the command again, and answer the question.",
    });
    this.name = "Unanswered";
  }
}

/** All exit codes. `innkeep help exit-codes` prints this table. (rule L2) */
export const exitCodes = {
  ok: { code: 0, meaning: "Done. Also for answers such as `matched: false`." },
  unexpected: { code: 1, meaning: "Something unexpected went wrong, or `doctor` found a fault." },
  usage: { code: 2, meaning: "The command line or a value in it is wrong." },
  differences: { code: 3, meaning: "There are differences, and --exit-code is set." },
  authentication: { code: 4, meaning: "A credential is missing, expired or not accepted." },
  forbidden: { code: 5, meaning: "Not allowed with this credential, or turned off for the app." },
  notFound: { code: 6, meaning: "Not found." },
  conflict: { code: 7, meaning: "Not possible in the current state." },
  pending: { code: 8, meaning: "Nobody has decided yet, or nothing happened while the command waited." },
  rejected: { code: 9, meaning: "A person rejected the proposal." },
  incomplete: { code: 10, meaning: "Done, but files are missing in the backup: the answer lists them." },
  tryLater: { code: 75, meaning: "No connection, or the server is busy: try again later." },
  interrupted: { code: 130, meaning: "Interrupted." },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type Exit = keyof typeof exitCodes;

/** Returns the question "Did you mean …?" with the most similar word. Empty if no word is similar. */
export function didYouMean(given: string, words: readonly string[]): string {
  const word = closest(given, words);
  return word === undefined ? "" : `\n(Did you mean ${word}?)`;
}
