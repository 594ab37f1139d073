import { createHash } from "node:crypto";
import { hashedFaqText, trimmedMarkdown } from "../../contract/content-text.ts";

export interface FaqText {
  readonly question: string;
  readonly answer: string;
}

/** An entry in a file. */
export interface FileEntry extends FaqText {
  /** The name of the file in messages. In a list file, it also contains the number of the entry. */
  readonly file: string;
  readonly id: string | undefined;
  /** The position of the entry. Undefined if the file does not contain a position. */
  readonly sortOrder: number | undefined;
  /** The translations, by language. */
  readonly translations?: Readonly<Record<string, TranslationFile>>;
}

/** A translation in a file. */
export interface TranslationFile extends FaqText {
  readonly file: string;
}

/**
 * An entry on the server. The fields about the last push are undefined on a server that does not store them.
 */
export interface ServerEntry extends FaqText {
  readonly id: string;
  readonly sortOrder: number;
  readonly pushedHash?: string | undefined;
  readonly pushedSortOrder?: number | undefined;
  /** The translations, by language. Undefined if the server does not support translations. */
  readonly translations?: Readonly<Record<string, ServerTranslation>> | undefined;
}

interface ServerTranslation extends FaqText {
  readonly pushedHash?: string | undefined;
}

/**
 * Returns the text with Unix line ends and without white space at its start and end. These may differ between a file
 * and the console although the text is the same.
 */
export const plainText = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

/** Returns an answer with Unix line ends, trimmed in the same way as on the server. */
export const plainAnswer = (text: string): string => trimmedMarkdown(text.replace(/\r\n?/g, "\n"));

/**
 * Returns the SHA-256 hash of a question and an answer. Texts that differ only in line ends or in white space at their
 * start and end have the same hash.
 */
export const hashOf = ({ question, answer }: FaqText): string =>
  sha256(hashedFaqText({ question: plainText(question), answer: plainAnswer(answer) }));

/** Whether an entry on the server still has the text that the last push set. */
export const isAsPushed = (entry: ServerTranslation): boolean =>
  entry.pushedHash !== undefined && sha256(hashedFaqText(entry)) === entry.pushedHash;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
