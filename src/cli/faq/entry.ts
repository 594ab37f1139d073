import { createHash } from "node:crypto";
import { hashedFaqText } from "../../contract/faq-text.ts";
import { trimmedMarkdown } from "../../contract/markdown-text.ts";

export interface FaqText {
  readonly question: string;
  readonly answer: string;
}

/** An entry in a file. */
export interface FileEntry extends FaqText {
  /** The name of the file in messages, or the position in a list file. */
  readonly file: string;
  readonly id: string | undefined;
  /** The position of the entry. Undefined if the file does not state it. */
  readonly sortOrder: number | undefined;
  /** The translations by language, each with the name of its file. */
  readonly translations?: Readonly<Record<string, TranslationFile>>;
}

/** A translation in a file. */
export interface TranslationFile extends FaqText {
  readonly file: string;
}

/** An entry on the server. The fields about the last push are undefined on a server that does not store them. */
export interface ServerEntry extends FaqText {
  readonly id: string;
  readonly sortOrder: number;
  readonly pushedHash?: string | undefined;
  readonly pushedSortOrder?: number | undefined;
  /** The translations by language. Undefined on a server that does not store any. */
  readonly translations?: Readonly<Record<string, ServerTranslation>> | undefined;
}

interface ServerTranslation extends FaqText {
  readonly pushedHash?: string | undefined;
}

/**
 * Returns the text with Unix line ends and without white space around it. These differ between files and forms,
 * although the text is the same.
 */
export const plainText = (text: string): string => text.replace(/\r\n?/g, "\n").trim();

/** Returns an answer with Unix line ends, trimmed as the server does it. */
export const plainAnswer = (text: string): string => trimmedMarkdown(text.replace(/\r\n?/g, "\n"));

/**
 * Returns the SHA-256 of a question and an answer, after `plainText`. Texts that differ only in line ends and outer
 * white space have the same hash.
 */
export const hashOf = ({ question, answer }: FaqText): string =>
  sha256(hashedFaqText({ question: plainText(question), answer: plainAnswer(answer) }));

/** Whether an entry still has the text that the last push set. */
export const isAsPushed = (entry: ServerTranslation): boolean =>
  entry.pushedHash !== undefined && sha256(hashedFaqText(entry)) === entry.pushedHash;

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
