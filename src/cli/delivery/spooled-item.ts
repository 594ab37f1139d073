import type { SentFile } from "../../client/calls/file-content.ts";

/**
 * What is known of the last try. `unsent`: the server cannot have it. `refused`: it answered that it does not take it.
 * `unknown`: it may have it, but its answer was not heard.
 */
export interface LastTry {
  readonly at: string;
  readonly outcome: "unsent" | "refused" | "unknown";
  readonly why: string;
}

/** Something on its way to a server: feedback, or a proof. */
export interface SpooledItem {
  readonly id: string;
  readonly createdAt: string;
  /** The server that it was written for. */
  readonly baseUrl: string;
  readonly idempotencyKey: string;
  readonly lastTry: LastTry | null;
}

/** A file with its place in the request, such as `images.0`. */
export interface FileInPlace {
  readonly place: string;
  readonly file: SentFile;
}

/** One kind of items, and how it lies on disk. */
export interface Kind<I extends SpooledItem> {
  /** What a person calls one of them. */
  readonly word: "report" | "proof";
  /** The commands that deal with it: `innkeep <noun> resend`. */
  readonly noun: "feedback" | "proof";
  /** Its folder in the state folder. */
  readonly folder: string;
  filesOf(item: I): readonly FileInPlace[];
  textOf(item: I): string;
  /** The item that a text describes, with its files in this folder; undefined where it describes none. */
  itemIn(folder: string, text: string): I | undefined;
}

export const resendOf = ({ noun }: Pick<Kind<SpooledItem>, "noun">, what: string): string =>
  `innkeep ${noun} resend ${what}`;
