import { fieldVersion, wasName } from "../../kit/form/changed-values.ts";
import { type Fields, noFields } from "../../kit/form/read-form.ts";

/** A text that somebody typed in a form, and what the form calls it. */
export interface UnsavedText {
  readonly label: string;
  readonly text: string;
}

/** The fields that people write in. What is not named here is not shown again: passwords and secrets least of all. */
const labels: ReadonlyMap<string, string> = new Map([
  ["note", "Note to the agent"],
  ["noteBody", "Internal note"],
  ["replyBody", "Reply"],
  ["subject", "Subject"],
  ["githubIssueUrl", "Linked issue"],
  ["question", "Question"],
  ["answer", "Answer"],
  ["title", "Title"],
  ["version", "Version"],
  ["body", "Text"],
  ["name", "Name"],
  ["appName", "Name of the app"],
  ["testBrief", "What to test"],
]);

/** What was typed in a form and differs from what the form began with. */
export const unsavedTextsIn = (fields: Fields): UnsavedText[] =>
  fields.entries().flatMap(([name, text]) => {
    const label = labels.get(name) ?? (/^items\.\d+\.text$/.test(name) ? "Change" : undefined);
    const typed = text.trim() !== "" && fields.text(wasName(name)) !== fieldVersion(text);
    return label !== undefined && typed ? [{ label, text }] : [];
  });

const sent = new WeakMap<object, Fields>();

/** Remembers what the form of this request held, for a page that tells that it could not be done. */
export const rememberForm = (request: object, fields: Fields): void => void sent.set(request, fields);

/** What the form of this request held; nothing where it was not read. */
export const rememberedForm = (request: object): Fields => sent.get(request) ?? noFields;
