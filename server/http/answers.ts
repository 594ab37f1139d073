import { hash } from "node:crypto";

/** A success body that is already JSON text, with its strong ETag. */
export interface PreparedAnswer {
  readonly prepared: true;
  readonly body: string | Buffer;
  readonly etag: string;
}

/** An answer that is a file, made while it is sent. */
export interface Download {
  readonly isDownload: true;
  readonly fileName: string;
  readonly mediaType: string;
  /** The exact length, if it is known. */
  readonly bytes: number | undefined;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Called once, when the answer has ended in any way. */
  end(): Promise<void>;
}

export const isDownload = (answer: unknown): answer is Download =>
  typeof answer === "object" && answer !== null && "isDownload" in answer && answer.isDownload === true;

/** Short text is sent in one piece with the head. Long text is turned into bytes once, not once for each reader. */
const shortLength = 8_192;

export function prepareAnswer(json: string): PreparedAnswer {
  const body = json.length <= shortLength ? json : Buffer.from(json);
  return { prepared: true, body, etag: etagOf(body) };
}

export const isPrepared = (answer: unknown): answer is PreparedAnswer =>
  typeof answer === "object" && answer !== null && "prepared" in answer && answer.prepared === true;

export const etagOf = (body: string | Buffer): string =>
  `"${hash("sha256", body, "base64url").slice(0, 27)}"`;

/**
 * Whether `If-None-Match` or `If-Match` names the tag, also as the weak one that a compressing proxy makes of it. Unlike Koa's `fresh`, this ignores `Cache-Control: no-cache` of the request: a
 * client that sends the tag has the answer already.
 */
export const matchesEtag = (header: string, etag: string): boolean =>
  header.split(",").some((entry) => entry.trim() === "*" || entry.trim().replace(/^W\//, "") === etag);

/** Remembers prepared answers by name until their version changes, their time has passed, or the clock was set back. */
export interface Answers {
  /**
   * Gives the remembered answer of this version, or makes and remembers it. Requests that come while it is made share it: a
   * large answer is in memory once. `until` is in epoch milliseconds.
   */
  recall(wanted: Wanted, make: () => Promise<Made>): Promise<PreparedAnswer>;
}

interface Wanted {
  readonly name: string;
  readonly version: number;
  readonly now: Date;
}

interface Made {
  readonly answer: PreparedAnswer;
  readonly until?: number | undefined;
}

const mostAnswers = 2_000;
/**
 * The limit for all answers together: readers choose how many different answers they request, and one release note may
 * be long.
 */
const mostBytes = 64 * 1_048_576;

interface Remembered {
  readonly version: number;
  readonly from: number;
  readonly until: number;
  readonly answer: PreparedAnswer;
}

export function createAnswers(): Answers {
  const remembered = new Map<string, Remembered>();
  const inMaking = new Map<string, Promise<Remembered>>();
  let bytes = 0;

  function forget(name: string): void {
    bytes -= remembered.get(name)?.answer.body.length ?? 0;
    remembered.delete(name);
  }

  function remember(name: string, made: Remembered): void {
    forget(name);
    remembered.set(name, made);
    bytes += made.answer.body.length;
    for (const oldest of remembered.keys()) {
      if (remembered.size <= mostAnswers && bytes <= mostBytes) return;
      forget(oldest);
    }
  }

  async function makeOne({ name, version, now }: Wanted, make: () => Promise<Made>): Promise<Remembered> {
    const { answer, until = Number.POSITIVE_INFINITY } = await make();
    const made = { version, from: now.getTime(), until, answer };
    remember(name, made);
    return made;
  }

  function makeTogether(wanted: Wanted, make: () => Promise<Made>): Promise<Remembered> {
    const made = makeOne(wanted, make).finally(() => {
      if (inMaking.get(wanted.name) === made) inMaking.delete(wanted.name);
    });
    inMaking.set(wanted.name, made);
    return made;
  }

  return {
    async recall(wanted, make) {
      const known = remembered.get(wanted.name);
      if (known && isGood(known, wanted)) return known.answer;
      for (let coming = inMaking.get(wanted.name); coming; coming = inMaking.get(wanted.name)) {
        const made = await coming.catch(() => undefined);
        if (made && isGood(made, wanted)) return made.answer;
      }
      return (await makeTogether(wanted, make)).answer;
    },
  };
}

const isGood = ({ version, from, until }: Remembered, wanted: Wanted): boolean => {
  const at = wanted.now.getTime();
  return version === wanted.version && from <= at && at < until;
};
