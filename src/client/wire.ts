import type { Content, Sink } from "./call.ts";

/** A request as it goes out. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Content;
  /** How long the connection may be silent. */
  readonly timeoutMs: number;
  /** The longest time of the whole answer after the request is sent, and its most bytes. */
  readonly answerMs: number;
  readonly answerBytes: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
  /** Takes the bytes of a success, which then has no text. */
  readonly sink?: Sink;
}

/** An answer as it came in. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Sends a request and gives the answer. Rejects with a ConnectionError, or with the signal's reason. */
export type Transport = (request: WireRequest) => Promise<WireAnswer>;
