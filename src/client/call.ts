import type * as z from "zod/mini";
import type { Endpoint } from "../contract/endpoint.ts";
import type { contract } from "../contract/index.ts";

/** An answer and its ETag. A later request that changes the data must contain the ETag. */
export interface Tagged<A> {
  readonly answer: A;
  /** The value for `ifMatch`. Undefined if the server sent no ETag. */
  readonly etag: string | undefined;
}

/**
 * Returns the answer of a call and its ETag: `withEtag((options) => client.faqs.list(options))`. Rejects with
 * the error of the call.
 */
export async function withEtag<A>(
  call: (options: Required<Pick<CallOptions, "onEtag">>) => Promise<A>,
): Promise<Tagged<A>> {
  let etag: string | undefined;
  const answer = await call({
    onEtag(given) {
      etag = given;
    },
  });
  return { answer, etag };
}

/** A complete request, ready to be sent. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Content;
  /** The longest time without any data on the connection. */
  readonly timeoutMs: number;
  /** `answerMs` limits the time after the end of the request. `answerBytes` limits the size of the answer. */
  readonly answerMs: number;
  readonly answerBytes: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
  /** Receives the body of a success. The `text` of the answer is then empty. */
  readonly sink?: Sink;
}

/** An answer before it is checked. */
export interface WireAnswer {
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Sends a request and returns the answer. Rejects with a ConnectionError, or with the signal's reason. */
export type Transport = (request: WireRequest) => Promise<WireAnswer>;

/** The body of a successful answer. Undefined for a 204, and for a 202, which has no result yet. */
export type Answer<E extends Endpoint> =
  | (E["success"] extends { body: infer Body extends z.ZodMiniType } ? z.output<Body> : undefined)
  | (E extends { readonly pending: true } ? undefined : never);

/** A body that is produced while it is sent, because it is too large for the memory. */
export interface Content {
  readonly mediaType: string;
  /** The exact length in bytes. */
  readonly bytes: number;
  /** Returns the whole body. Each call starts at the beginning of the body, so a request can be repeated. */
  read(): AsyncIterable<Uint8Array | string>;
  /** What a dry run shows instead of the body. Default: the media type and the length. */
  readonly view?: unknown;
}

/** Receives the bytes of an answer that is too large for the memory. */
export interface Sink {
  /**
   * Deletes the bytes of an earlier attempt, if there are any. Called before the first bytes of each attempt.
   */
  begin(): Promise<void>;
  write(bytes: Uint8Array): Promise<void>;
}

type Body<E extends Endpoint, Schema extends z.ZodMiniType> = E["bodyKind"] extends "form"
  ? { readonly content: Content }
  : E["bodyKind"] extends "upload"
    ? { readonly body: z.input<Schema> } | { readonly content: Content }
    : { readonly body: z.input<Schema> };

type Part<E extends Endpoint, Name extends "params" | "query" | "body"> = E[Name] extends z.ZodMiniType
  ? Name extends "query"
    ? { readonly query?: z.input<E[Name]> }
    : Name extends "body"
      ? Body<E, E[Name]>
      : { readonly [N in Name]: z.input<E[Name]> }
  : unknown;

export interface CallOptions {
  /** Makes the call safe to repeat: for a known key, the server returns the stored answer. */
  readonly idempotencyKey?: string;
  /** The ETag of the data that the caller has read. The server refuses the call if the data has changed. */
  readonly ifMatch?: string | undefined;
  /** Called with the ETag of a success, or with undefined if the server sent no ETag. See `withEtag`. */
  readonly onEtag?: (etag: string | undefined) => void;
  readonly signal?: AbortSignal;
  /** Called with the number of bytes of the body that have been sent so far. */
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
  /** Receives the file of a download. */
  readonly sink?: Sink;
  /** Returns whether the call is repeated after this temporary failure. By default, it is always repeated. */
  readonly repeatAfter?: (error: Error) => boolean;
}

export type Input<E extends Endpoint> = Part<E, "params"> & Part<E, "query"> & Part<E, "body"> & CallOptions;

type Call<E extends Endpoint> = E extends { params: z.ZodMiniType } | { body: z.ZodMiniType }
  ? (input: Input<E>) => Promise<Answer<E>>
  : (input?: Input<E>) => Promise<Answer<E>>;

/**
 * The whole API as functions: `client.faqs.list()`. A failed call rejects with `ServerError`,
 * `ConnectionError`, `UnexpectedAnswerError`, `MissingCredentialError` or `InvalidInputError`.
 */
export type Client = {
  readonly [G in keyof typeof contract]: {
    readonly [E in keyof (typeof contract)[G]]: (typeof contract)[G][E] extends Endpoint
      ? Call<(typeof contract)[G][E]>
      : never;
  };
};
