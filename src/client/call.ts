import type * as z from "zod/mini";
import type { Endpoint } from "../contract/endpoint.ts";
import type { contract } from "../contract/index.ts";

/** What a call gives back: the success body, or nothing for a 204. */
export type Answer<E extends Endpoint> = E["success"] extends { body: infer Body extends z.ZodMiniType }
  ? z.output<Body>
  : undefined;

type Part<E extends Endpoint, Name extends "params" | "query" | "body"> = E[Name] extends z.ZodMiniType
  ? Name extends "query"
    ? { readonly query?: z.input<E[Name]> }
    : { readonly [N in Name]: z.input<E[Name]> }
  : unknown;

export interface CallOptions {
  /** Makes a repeat safe: the server answers a second request with the same key from what it stored. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

export type Input<E extends Endpoint> = Part<E, "params"> & Part<E, "query"> & Part<E, "body"> & CallOptions;

type Call<E extends Endpoint> = keyof (Part<E, "params"> & Part<E, "body">) extends never
  ? (input?: Input<E>) => Promise<Answer<E>>
  : (input: Input<E>) => Promise<Answer<E>>;

/** The whole API as functions: `client.faqs.list()`. Every call rejects with an ApiError or a ConnectionError. */
export type Client = {
  readonly [G in keyof typeof contract]: {
    readonly [E in keyof (typeof contract)[G]]: (typeof contract)[G][E] extends Endpoint
      ? Call<(typeof contract)[G][E]>
      : never;
  };
};
