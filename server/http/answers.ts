import { hash } from "node:crypto";

/** A success body that is already JSON text, with its strong ETag. */
export interface PreparedAnswer {
  readonly prepared: true;
  readonly body: Buffer;
  readonly etag: string;
}

export function prepareAnswer(json: string): PreparedAnswer {
  const body = Buffer.from(json);
  return { prepared: true, body, etag: etagOf(body) };
}

export const isPrepared = (answer: unknown): answer is PreparedAnswer =>
  typeof answer === "object" && answer !== null && "prepared" in answer && answer.prepared === true;

export const etagOf = (body: Buffer): string => `"${hash("sha256", body, "base64url").slice(0, 27)}"`;

/**
 * Whether `If-None-Match` names the tag. Unlike Koa's `fresh` also where the reader bypasses caches: to whoever names
 * it, the answer is no news.
 */
export const isKnown = (header: string, etag: string): boolean =>
  header.split(",").some((entry) => entry.trim() === "*" || entry.trim().replace(/^W\//, "") === etag);

/** Remembers prepared answers by name until their version or their time has passed. */
export interface Answers {
  /** Gives the remembered answer of this version, or makes and remembers it. `until` in epoch milliseconds. */
  recall(
    name: string,
    version: number,
    now: Date,
    make: () => Promise<{ answer: PreparedAnswer; until?: number | undefined }>,
  ): Promise<PreparedAnswer>;
}

const mostAnswers = 2_000;

export function createAnswers(): Answers {
  const remembered = new Map<string, { version: number; until: number; answer: PreparedAnswer }>();
  return {
    async recall(name, version, now, make) {
      const known = remembered.get(name);
      if (known && known.version === version && now.getTime() < known.until) return known.answer;
      const { answer, until = Number.POSITIVE_INFINITY } = await make();
      remembered.delete(name);
      remembered.set(name, { version, until, answer });
      forgetOldest(remembered);
      return answer;
    },
  };
}

function forgetOldest(remembered: Map<string, unknown>): void {
  if (remembered.size <= mostAnswers) return;
  const oldest = remembered.keys().next();
  if (!oldest.done) remembered.delete(oldest.value);
}
