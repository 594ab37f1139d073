import type { OwnedThread } from "../../../../../src/contract/console/feedback.ts";
import { ApiError } from "../../../../../src/contract/errors.ts";
import { fieldVersion, originalVersionName, type Values } from "../../../kit/form/changed-values.ts";
import type { Filled } from "../../../kit/form/field.tsx";
import { filledWith } from "../../../kit/form/filled-form.ts";
import type { Fields } from "../../../kit/form/read-form.ts";

/** A stored thread as the text of the fields at the side. */
export const currentThread = ({ feedback, assignee }: OwnedThread) => ({
  status: feedback.status,
  category: feedback.category,
  subject: feedback.subject,
  githubIssueUrl: feedback.githubIssueUrl ?? "",
  addTags: "",
  assignee: assignee?.userId ?? "",
});

/** The parts of a thread's page that a person fills in. All are one form, so that each button sends all of them. */
export type ThreadPart =
  | "decision"
  | "recall"
  | "release"
  | "note"
  | "reply"
  | "edit"
  | "tags"
  | "assign"
  | "insert"
  | "block"
  | "link";

/** The field for the note of a recall. Each approved proposal of the thread has its own. */
export const recallNoteName = (runId: string): string => `recallNote:${runId}`;
/** The hidden field with the claim that the page showed. */
export const claimedName = (runId: string): string => `claimed:${runId}`;

const names: Readonly<Record<Exclude<ThreadPart, "recall">, readonly string[]>> = {
  decision: ["note"],
  release: [],
  link: [],
  note: ["noteBody"],
  reply: ["replyBody", "replyReceiver"],
  edit: ["status", "category", "subject", "githubIssueUrl", "addTags", "assignee"],
  tags: [],
  assign: [],
  insert: [],
  block: [],
};

/** The form as it was sent, and for which part. Without a refusal, that part was done. */
export interface SentThread {
  readonly fields: Fields;
  readonly part: ThreadPart;
  readonly refusal?: ApiError;
  /** The message that was added. */
  readonly messageId?: string;
}

/** The values of the form's parts. */
export interface ThreadForms extends Readonly<Record<ThreadPart, Filled>> {
  /** The hidden versions with which the fields of `edit` began. */
  readonly was: Values;
  /** The proposal on the page that was sent; empty on a page that was only opened. */
  readonly readProposalId: string;
  readonly decisionRefused: boolean;
  /** The proposal whose approval or claim was to be ended; empty if the page was sent for something else. */
  readonly orderedRunId: string;
  readonly messageId: string | undefined;
  /** The newest reply that the writer of the typed reply saw; undefined for the newest one on the page. */
  readonly seenReply: string | undefined;
}

/** The form of a page. Text that was sent and not saved stays; every other field has its stored value. */
export function threadForms(current: Values, sent?: SentThread): ThreadForms {
  const edit = editValues(current, sent);
  return {
    decision: partOf("decision", {}, sent),
    recall: partOf("recall", {}, sent),
    release: partOf("release", {}, sent),
    note: partOf("note", {}, sent),
    tags: partOf("tags", {}, sent),
    assign: partOf("assign", {}, sent),
    insert: partOf("insert", {}, sent),
    block: partOf("block", {}, sent),
    link: partOf("link", {}, sent),
    reply: partOf("reply", {}, sent),
    edit: { ...partOf("edit", current, sent), value: (name) => edit.values[name] ?? "" },
    was: edit.was,
    readProposalId: sent?.fields.text("runId") ?? "",
    decisionRefused: sent?.part === "decision" && sent.refusal !== undefined,
    orderedRunId: orderedRunIdOf(sent),
    messageId: sent?.messageId,
    seenReply: seenReplyOf(sent),
  };
}

/** A page that another button shows again does not say that there is a newer reply. So it must not count as read. */
function seenReplyOf(sent: SentThread | undefined): string | undefined {
  if (!sent?.fields.has("seenReply") || isDone("reply", sent)) return undefined;
  const { fields, refusal } = sent;
  return refusal?.code === "reply_added" || fields.text("replyBody") === ""
    ? undefined
    : fields.text("seenReply");
}

/** Whether a part other than the sent one holds unsaved text. */
export const holdsDrafts = (fields: Fields, sentPart: ThreadPart): boolean =>
  draftNames(fields).some(
    (name) => !namesOf(sentPart, fields).includes(name) && fields.text(name).trim() !== "",
  ) ||
  (sentPart !== "edit" && names.edit.some((name) => isEdited(fields, name)));

const draftNames = (fields: Fields): string[] => [
  ...names.decision,
  ...names.note,
  "replyBody",
  ...fields.entries().flatMap(([name]) => (name.startsWith(recallNoteName("")) ? [name] : [])),
];

/** The fields that a button sends for its part. */
export const namesOf = (part: ThreadPart, fields: Fields): readonly string[] =>
  part === "recall" ? [recallNoteName(fields.text("recall"))] : names[part];

const orderedRunIdOf = (sent: SentThread | undefined): string =>
  sent?.part === "recall" || sent?.part === "release" ? sent.fields.text(sent.part) : "";

function partOf(part: ThreadPart, stored: Values, sent: SentThread | undefined): Filled {
  if (!sent) return filledWith(stored);
  const { fields, refusal } = sent;
  if (isDone(part, sent)) return part === "recall" ? othersOf(part, fields) : filledWith(stored);
  return sent.part === part
    ? { value: fields.text, refusal: atFieldsOf(namesOf(part, fields), refusal), sent: true }
    : { value: fields.text, sent: true };
}

/** The notes for the recall of other proposals are not sent yet. */
const othersOf = (part: ThreadPart, fields: Fields): Filled => ({
  value: (name) => (namesOf(part, fields).includes(name) ? "" : fields.text(name)),
  sent: true,
});

/** The API names the text of every message `body` and that of an order `note`, but the form has a field for each. */
function atFieldsOf([field]: readonly string[], refusal: ApiError | undefined): ApiError | undefined {
  const issues = refusal?.details.issues?.map(({ path, message }) => ({
    path: path === "body" || path === "note" ? (field ?? path) : path,
    message,
  }));
  return refusal && issues ? new ApiError(refusal.code, { ...refusal.details, issues }) : refusal;
}

/** An untouched field shows the stored value, which somebody else may have changed. */
function editValues(current: Values, sent: SentThread | undefined) {
  const entries = names.edit.map((name) => {
    const stored = current[name] ?? "";
    const fresh = { name, value: stored, was: fieldVersion(stored) };
    if (!sent || isDone("edit", sent)) return fresh;
    const { fields } = sent;
    // When the form is sent again after this refusal, it replaces what somebody else wrote.
    if (sent.part === "edit" && sent.refusal?.code === "bad_request") {
      return { ...fresh, value: fields.text(name) };
    }
    return isEdited(fields, name)
      ? { name, value: fields.text(name), was: fields.text(originalVersionName(name)) }
      : fresh;
  });
  return {
    values: Object.fromEntries(entries.map(({ name, value }) => [name, value])),
    was: Object.fromEntries(entries.map(({ name, was }) => [name, was])),
  };
}

const isDone = (part: ThreadPart, { part: sentPart, refusal }: SentThread): boolean =>
  part === sentPart && refusal === undefined;

/** A field that the page did not have is not edited. */
const isEdited = (fields: Fields, name: string): boolean =>
  fields.has(name) && fieldVersion(fields.text(name)) !== fields.text(originalVersionName(name));
