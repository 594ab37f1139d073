import { versionOf } from "../filled-form.ts";
import type { Fields } from "../form-values.tsx";

/** Which typed text a form holds: the path of the form, and the opened page. The script adds both to what it sends. */
export const sentDraftOf = (fields: Fields) => ({
  form: fields.text("draft-form"),
  writer: fields.text("draft-writer"),
});

/** Whether a form holds what another person has typed: somebody else has signed in since. Unknown without scripts. */
export function isOfAnother(fields: Fields, email: string): boolean {
  const person = fields.text("draft-person");
  return person !== "" && person !== versionOf(email);
}

/**
 * The cookie by which the script knows that the server has done a form: only an answer that arrived and says so ends a draft.
 * `once` is that of the form; `sent` names the fields whose text was acted on, undefined for all.
 */
export function doneCookie(
  once: string,
  sent: readonly string[] | undefined,
  { consoleUrl }: { readonly consoleUrl: string },
): string {
  const secure = consoleUrl.startsWith("https:") ? "; Secure" : "";
  const value = sent === undefined ? "all" : encodeURIComponent(sent.join(" "));
  return `innkeep-done-${once}=${value}; Path=/; Max-Age=${seconds}; SameSite=Strict${secure}`;
}

/** Enough for the next page to open on a slow line. */
const seconds = 120;
