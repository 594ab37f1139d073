import type { Issue } from "../../contract/issues.ts";
import type { Exit } from "./exit-codes.ts";

/** Further fields of a failure, for programs. */
export interface FailureDetails {
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
