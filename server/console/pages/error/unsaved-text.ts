import { fieldVersion, originalVersionName } from "../../kit/form/changed-values.ts";
import { type Fields, noFields } from "../../kit/form/read-form.ts";

/** A text that was typed into a form, and the label of its field. */
export interface UnsavedText {
  readonly label: string;
  readonly text: string;
}

/** The fields for text, with their labels. No other field is shown again: above all no password and no secret. */
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

/** The texts in a form that differ from the form's first values. */
export const unsavedTextsIn = (fields: Fields): UnsavedText[] =>
  fields.entries().flatMap(([name, text]) => {
    const label = labels.get(name) ?? labelOf(name);
    const typed = text.trim() !== "" && fields.text(originalVersionName(name)) !== fieldVersion(text);
    return label !== undefined && typed ? [{ label, text }] : [];
  });

/** The label of a field of which a form has several. */
function labelOf(name: string): string | undefined {
  if (name.startsWith("recallNote:")) return "Why you recall it";
  return /^items\.\d+\.text$/.test(name) ? "Change" : undefined;
}

const sent = new WeakMap<object, Fields>();

/** Remembers the fields of this request's form for its error page. */
export const rememberForm = (request: object, fields: Fields): void => void sent.set(request, fields);

/** The fields of this request's form; none when the form was not read. */
export const rememberedForm = (request: object): Fields => sent.get(request) ?? noFields;
