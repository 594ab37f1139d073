import { createHash } from "node:crypto";
import { hashedFaqText } from "../../contract/faq-text.ts";

export interface FaqText {
  readonly question: string;
  readonly answer: string;
}

/** An entry in a file. */
export interface FileEntry extends FaqText {
  /** The name of the file in messages, or the position in a list file. */
  readonly file: string;
  readonly id: string | undefined;
  /** Undefined if the file gives no position. */
  readonly sortOrder: number | undefined;
}

/** An entry as the server has it. The marks are undefined on a server that does not keep them. */
export interface ServerEntry extends FaqText {
  readonly id: string;
  readonly sortOrder: number;
  readonly pushedHash?: string | undefined;
  readonly pushedSortOrder?: number | undefined;
}

/** A text without what belongs to its file or form alone: the kind of line ends, and white space around it. */
export const plainText = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

/** The SHA-256 of a question and an answer. Texts that differ only as `plainText` allows have the same. */
export const hashOf = ({ question, answer }: FaqText): string =>
  sha256(hashedFaqText({ question: plainText(question), answer: plainText(answer) }));

/** Whether the text of an entry is still the one that the last push set. */
export const isAsPushed = (entry: ServerEntry): boolean =>
  entry.pushedHash !== undefined && sha256(hashedFaqText(entry)) === entry.pushedHash;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
