import type { Faq } from "../../../src/contract/faqs.ts";
import type { Values } from "../../console/changed-values.ts";

/** A stored entry as the text of its form fields. */
export const currentFaq = ({ question, answer, sortOrder }: Faq) => ({
  question,
  answer,
  sortOrder: String(sortOrder),
});

/**
 * Values of the form as the API takes them. An empty position is left out. A position that is not a number is passed on
 * unchanged, so that the API refuses it with a reason.
 */
export function faqBody({ sortOrder = "", ...rest }: Values): Record<string, unknown> {
  const position = sortOrder.trim();
  if (position === "") return rest;
  return { ...rest, sortOrder: /^-?\d{1,9}$/.test(position) ? Number(position) : sortOrder };
}
