import type { Exit } from "./exit-codes.ts";

/** A failure that a command explains itself: what happened and why, the next command, how the program ends. */
export class CliError extends Error {
  readonly exit: Exit;
  readonly code: string;
  /** What the reader does next: a command or a setting. */
  readonly next: string | undefined;

  constructor(exit: Exit, code: string, message: string, next?: string) {
    super(message);
    this.name = "CliError";
    this.exit = exit;
    this.code = code;
    this.next = next;
  }
}

/** The command line itself is wrong. */
export const usageError = (message: string, next?: string) => new CliError("usage", "usage", message, next);
