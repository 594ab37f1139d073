import type * as z from "zod/mini";
import type { Endpoint } from "../contract/endpoint.ts";
import type { contract } from "../contract/index.ts";

/** An answer, and its ETag, which a later change must name. */
export interface Tagged<A> {
  readonly answer: A;
  /** For `ifMatch`; undefined if the server sent none. */
  readonly etag: string | undefined;
}

/**
 * Makes a call and returns its answer together with the ETag. Rejects as the call does.
 *
 *     const { answer, etag } = await withEtag((options) => client.faqs.list(options));
 *     await client.faqs.replace({ body: { faqs: changed(answer) }, ifMatch: etag });
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

/** A request as it is sent. */
export interface WireRequest {
  readonly method: string;
  readonly url: URL;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Content;
  /** How long the connection may be silent. */
  readonly timeoutMs: number;
  /** The most milliseconds and bytes of the whole answer after the request is sent. */
  readonly answerMs: number;
  readonly answerBytes: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
  /** Receives the bytes of a success, which then has no text. */
  readonly sink?: Sink;
}

/** An answer as it was received. */
export interface WireAnswer {
  readonly status: number;
  /** The names are in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Sends a request and returns the answer. Rejects with a ConnectionError, or with the signal's reason. */
export type Transport = (request: WireRequest) => Promise<WireAnswer>;

/** The result of a call: the success body, or undefined for a 204 and for a 202 without an answer yet. */
export type Answer<E extends Endpoint> =
  | (E["success"] extends { body: infer Body extends z.ZodMiniType } ? z.output<Body> : undefined)
  | (E extends { readonly pending: true } ? undefined : never);

/** A body that is made while it is sent, because it is too large for the memory. */
export interface Content {
  readonly mediaType: string;
  /** Exact length. */
  readonly bytes: number;
  /** Starts from the beginning each time it is called, so that a request can be repeated. */
  read(): AsyncIterable<Uint8Array | string>;
  /** Shown instead of the body in a dry run; the media type and length unless given. */
  readonly view?: unknown;
}

/** Receives the bytes of an answer that is too large for the memory. */
export interface Sink {
  /** Starts from the beginning. Each repeat of a call calls it. */
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
  /** Makes a repeat safe: the server answers a second request with the same key from what it stored. */
  readonly idempotencyKey?: string;
  /** The ETag of what was read: the call is refused if that has changed since. */
  readonly ifMatch?: string | undefined;
  /** Called with the ETag of a success; undefined if the server sent none. See `withEtag`. */
  readonly onEtag?: (etag: string | undefined) => void;
  readonly signal?: AbortSignal;
  /** Called with the number of bytes of the body that the network has taken so far. */
  readonly onProgress?: (sentBytes: number, totalBytes: number) => void;
  /** Receives the file of a download. */
  readonly sink?: Sink;
  /** Whether a temporary failure is followed by another try; always unless given. */
  readonly repeatAfter?: (error: Error) => boolean;
}

export type Input<E extends Endpoint> = Part<E, "params"> & Part<E, "query"> & Part<E, "body"> & CallOptions;

type Call<E extends Endpoint> = E extends { params: z.ZodMiniType } | { body: z.ZodMiniType }
  ? (input: Input<E>) => Promise<Answer<E>>
  : (input?: Input<E>) => Promise<Answer<E>>;

/**
 * The whole API as functions: `client.faqs.list()`. Every call rejects with a ServerError, a ConnectionError or a
 * MissingCredentialError.
 */
export type Client = {
  readonly [G in keyof typeof contract]: {
    readonly [E in keyof (typeof contract)[G]]: (typeof contract)[G][E] extends Endpoint
      ? Call<(typeof contract)[G][E]>
      : never;
  };
};
