import type { SentFile } from "../../client/file-content.ts";

/**
 * The result of the last try. `unsent`: the server cannot have the item. `refused`: the server refused it.
 * `unknown`: the server may have it, but there was no answer.
 */
export interface LastTry {
  readonly at: string;
  readonly outcome: "unsent" | "refused" | "unknown";
  readonly why: string;
}

/** An item on its way to a server: feedback, or a proof. */
export interface SpooledItem {
  readonly id: string;
  readonly createdAt: string;
  /** The server that the item was written for. */
  readonly baseUrl: string;
  readonly idempotencyKey: string;
  readonly lastTry: LastTry | null;
}

/** A file with its place in the request, such as `images.0`. */
export interface FileInPlace {
  readonly place: string;
  readonly file: SentFile;
}

/** A kind of item, and how it is stored. */
export interface Kind<I extends SpooledItem> {
  /** The name of an item for a person. */
  readonly word: "report" | "proof";
  /** The noun of its commands: `innkeep <noun> resend`. */
  readonly noun: "feedback" | "proof";
  /** Its folder in the state folder. */
  readonly folder: string;
  filesOf(item: I): readonly FileInPlace[];
  textOf(item: I): string;
  /** Reads an item from its text, with its files in this folder; undefined if the text is not an item. */
  itemIn(folder: string, text: string): I | undefined;
}

export const resendOf = ({ noun }: Pick<Kind<SpooledItem>, "noun">, what: string): string =>
  `innkeep ${noun} resend ${what}`;
