import type { Content } from "../calls/call.ts";

/** A request as it goes out. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Content;
  /** How long the connection may be silent. */
  readonly timeoutMs: number;
  /** How long the whole answer may take once the request is sent; and how many bytes it may have. */
  readonly answerMs: number;
  readonly answerBytes: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
}

/** An answer as it came in. */
export interface WireAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Carries a request to the server and brings the answer; rejects with a ConnectionError, or the signal's reason. */
export type Transport = (request: WireRequest) => Promise<WireAnswer>;
