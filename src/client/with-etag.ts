import type { CallOptions } from "./call.ts";

/** An answer, and the ETag by which a later change names it. */
export interface Tagged<A> {
  readonly answer: A;
  /** For `ifMatch`; undefined if the server gave none. */
  readonly etag: string | undefined;
}

/**
 * Makes a call and gives its answer together with the ETag. Rejects as the call does.
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
