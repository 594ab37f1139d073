import type { Issue } from "../contract/issues.ts";
import { type CredentialKind, credentialKinds } from "./credential-kinds.ts";

export interface ServerErrorFacts {
  readonly status: number;
  /** The server's own code, also one that this client has never met; `http_502` where it sent none. */
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly Issue[];
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  /** The whole body, with whatever else the server said; undefined where it was no JSON. */
  readonly body?: unknown;
}

/** The server answered with an error. */
export class ServerError extends Error {
  readonly status: number;
  readonly code: string;
  readonly issues: readonly Issue[];
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly body: unknown;

  constructor(facts: ServerErrorFacts) {
    super(facts.message);
    this.name = "ServerError";
    this.status = facts.status;
    this.code = facts.code;
    this.issues = facts.issues ?? [];
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
    this.body = facts.body;
  }
}

/** There was no answer, or none that can be trusted to be complete. `code` is Node's (`ECONNREFUSED`), `timeout`, `too_large` or `too_slow`. */
export class ConnectionError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ConnectionError";
    this.code = code;
  }
}

/** Something answered that is no Innkeep server, or not the one that was meant. */
export class UnexpectedAnswerError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "UnexpectedAnswerError";
    this.status = status;
  }
}

/** The call needs a credential that nobody gave. */
export class MissingCredentialError extends Error {
  readonly kind: CredentialKind;

  constructor(kind: CredentialKind) {
    const { name, variable, command } = credentialKinds[kind];
    const way =
      kind === "deviceToken" ? "sign in with `innkeep auth login`" : `store one with \`${command}\``;
    super(`This needs ${/^[aeiou]/.test(name) ? "an" : "a"} ${name}. Set ${variable}, or ${way}.`);
    this.name = "MissingCredentialError";
    this.kind = kind;
  }
}

/** The caller gave something that cannot be sent. */
export class InvalidInputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InvalidInputError";
  }
}
