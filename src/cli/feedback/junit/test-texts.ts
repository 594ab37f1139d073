import type { Attributes, TestFailure } from "./test-result.ts";

/** How much text of failures is still kept, of all reports together. */
export interface TextBudget {
  left: number;
}

/** A failure with the part of its text that fits the budget. */
export function failureOf(attributes: Attributes, whole: string, budget: TextBudget): TestFailure {
  const text = kept(whole, budget.left > 0 ? longestText : longestTextBeyond);
  const message = kept(attributes.message ?? "", longestTextBeyond);
  budget.left -= text.length;
  return { type: own(attributes.type?.slice(0, longestType)), message, text };
}

/** Some tools write `1,234.5`. */
export function numberIn(text = ""): number | undefined {
  const number = Number(text.replaceAll(",", ""));
  return text.trim() !== "" && Number.isFinite(number) && number >= 0 ? number : undefined;
}

const marker = /\[\[ATTACHMENT\|([^\]\r\n]{1,1000})\]\]/g;

export const markedAttachments = (text: string): string[] =>
  [...text.matchAll(marker)].map(([, path]) => own(path).trim()).filter((path) => path !== "");

export function attachmentsOfProperty({ name = "", value = "" }: Attributes): string[] {
  const marked = markedAttachments(value);
  if (marked.length > 0 || !/^attachments?$|^(?:test)?attachment[._-]/i.test(name)) return marked;
  return value.trim() === "" ? [] : [own(value).trim()];
}

const longestText = 60_000;
const longestTextBeyond = 4_000;
const longestType = 1_000;

/** The text of a failure; of a very long one its beginning and its end. */
function kept(text: string, most: number): string {
  if (text.length <= most) return own(text);
  const half = Math.floor(most / 2);
  return own(`${text.slice(0, half)}\n[…]\n${text.slice(-half)}`);
}

/** A copy: a part of a text keeps the whole text of the report in memory. */
export const own = (text = ""): string => Buffer.from(text, "utf8").toString("utf8");
