import type { Issue } from "../contract/errors.ts";

export interface ServerErrorFacts {
  readonly status: number;
  /**
   * The error code of the answer, possibly unknown to this client. An answer without a code gets, for example,
   * `http_502`.
   */
  readonly code: string;
  readonly message: string;
  readonly issues?: readonly Issue[];
  readonly requestId?: string;
  readonly retryAfterSeconds?: number;
  /** The whole body with all its fields. Undefined if the body is not JSON. */
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

/**
 * The client got no complete answer. `code` is `timeout`, `too_large`, `too_slow`, `bad_proxy` or a Node code
 * such as `ECONNREFUSED`.
 */
export class ConnectionError extends Error {
  readonly code: string;
  /** The host of the proxy that failed. Undefined if no proxy failed. */
  readonly proxy: string | undefined;

  constructor(
    code: string,
    message: string,
    options?: ErrorOptions & { readonly proxy?: string | undefined },
  ) {
    super(message, options);
    this.name = "ConnectionError";
    this.code = code;
    this.proxy = options?.proxy;
  }
}

/** The answer does not come from an Innkeep server, or comes from a different server than the intended server. */
export class UnexpectedAnswerError extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.name = "UnexpectedAnswerError";
    this.status = status;
  }
}

/** The input of the call cannot be sent. */
export class InvalidInputError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InvalidInputError";
  }
}
