import { hash } from "node:crypto";
import type { Endpoint } from "../../src/contract/endpoint.ts";
import { everyTopic } from "../database/signals.ts";
import type { Memory } from "./memory.ts";

/** A success body that is already JSON text, with its strong ETag. */
export interface PreparedAnswer {
  readonly prepared: true;
  readonly body: string | Buffer;
  readonly etag: string;
  /** How long the same request gets this answer. Undefined if the answer cannot be kept. */
  readonly lasts?: Lasting;
}

/** How long something stays the same: from `from`, and before `until`, in epoch milliseconds. */
export interface Lasting {
  readonly from: number;
  readonly until: number;
  /** Whether everything from which it was made is in memory and unchanged. */
  readonly isCurrent: () => boolean;
}

/** An answer that is a file. It is generated while it is sent. */
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

/** Node sends short text together with the headers. Longer text is encoded once, not once for each client. */
const shortLength = 8_192;

export function prepareAnswer(json: string): PreparedAnswer {
  const body = json.length <= shortLength ? json : Buffer.from(json);
  return { prepared: true, body, etag: etagOf(body) };
}

export const isPrepared = (answer: unknown): answer is PreparedAnswer =>
  typeof answer === "object" && answer !== null && "prepared" in answer && answer.prepared === true;

export const jsonType = "application/json; charset=utf-8";

/** The `Cache-Control` of an answer to a read. */
export const cachingOf = ({ answersSecret }: Pick<Endpoint, "answersSecret">): string =>
  answersSecret ? "private, no-store" : "private, no-cache";

export const etagOf = (body: string | Buffer): string =>
  `"${hash("sha256", body, "base64url").slice(0, 27)}"`;

/**
 * Whether `If-None-Match` or `If-Match` names the ETag. A weak ETag matches too, because a compressing proxy makes ETags weak.
 * Unlike `fresh` of Koa, this ignores `Cache-Control: no-cache` of the request: a client that sends the ETag has the answer.
 */
export const matchesEtag = (header: string, etag: string): boolean =>
  header.split(",").some((entry) => entry.trim() === "*" || entry.trim().replace(/^W\//, "") === etag);

/** Remembers prepared answers by name until their version changes, their time has passed, or the clock was set back. */
export interface Answers {
  /**
   * Returns the remembered answer of this version, or makes and remembers it. Requests that arrive meanwhile wait for the same
   * answer, so that a large one is in memory once. `until` is in epoch milliseconds.
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

/** The most memory that a body uses, in bytes: a character of a text uses one or two. */
export const bytesOfBody = (body: string | Buffer): number =>
  typeof body === "string" ? 2 * body.length : body.length;

/** The memory of an answer without its body and its name, in bytes. */
const smallThings = 1_000;

interface Remembered {
  readonly version: number;
  readonly from: number;
  readonly until: number;
  readonly answer: PreparedAnswer;
}

/**
 * Creates the memory of prepared answers. After a restore the database counts the same versions again for other contents. So all
 * answers are dropped when anything may have changed. (decision 04)
 */
export function createAnswers(memory: Memory): Answers {
  const remembered = memory.createPart<Remembered>();
  const inMaking = new Map<string, Promise<Remembered>>();
  /** How often all answers were dropped. */
  let changes = 0;
  memory.onChange((topic) => {
    if (topic !== everyTopic) return;
    changes += 1;
    remembered.clear();
  });

  async function makeOne({ name, version, now }: Wanted, make: () => Promise<Made>): Promise<Remembered> {
    const began = changes;
    const { answer, until = Number.POSITIVE_INFINITY } = await make();
    const from = now.getTime();
    // The version comes from the caller's credential, which leaves memory when the version changes.
    const lasts = memory.isOn ? { lasts: { from, until, isCurrent: always } } : {};
    const made = { version, from, until, answer: { ...answer, ...lasts } };
    if (changes === began)
      remembered.keep(name, made, smallThings + 2 * name.length + bytesOfBody(answer.body));
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

const always = (): boolean => true;

const isGood = ({ version, from, until }: Remembered, wanted: Wanted): boolean => {
  const at = wanted.now.getTime();
  return version === wanted.version && from <= at && at < until;
};
