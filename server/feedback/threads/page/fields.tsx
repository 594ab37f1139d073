import { ApiError } from "../../../../src/contract/errors.ts";
import type { OwnedThread } from "../../../../src/contract/threads.ts";
import {
  type Fields,
  type Filled,
  fieldVersion,
  filledWith,
  originalVersionName,
  type Values,
} from "../../../console/forms.tsx";
import { editLabels } from "../badges.tsx";

/** Returns the values of a stored thread for the fields at the side. */
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
  edit: Object.keys(editLabels),
  tags: [],
  assign: [],
  insert: [],
  block: [],
};

/** The sent form, and the part that it was sent for. Without a refusal, that part is done. */
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
  /** The newest message that the writer of the typed reply saw; undefined for the newest one on the page. */
  readonly seenMessage: string | undefined;
  /** The labels of the fields at the side whose values were sent and are not saved. */
  readonly unsaved: readonly string[];
  /** Whether the page has any value that was sent and is not saved. */
  readonly isUnsaved: boolean;
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
    seenMessage: seenMessageOf(sent),
    unsaved: sent && !isDone("edit", sent) ? editedIn(sent.fields).map((name) => editLabels[name]) : [],
    isUnsaved: sent !== undefined && hasDrafts(sent.fields, sent.refusal ? undefined : sent.part),
  };
}

/**
 * Returns the newest message that the writer of a typed reply has seen. If another button shows the page again, a newer
 * message on it does not count as read.
 */
function seenMessageOf(sent: SentThread | undefined): string | undefined {
  if (!sent?.fields.has(seenMessageName) || isDone("reply", sent)) return undefined;
  const { fields, refusal } = sent;
  return refusal?.code === "answered" || fields.text("replyBody") === ""
    ? undefined
    : fields.text(seenMessageName);
}

/** Whether a part other than the done one has unsaved text. */
export function hasDrafts(fields: Fields, donePart: ThreadPart | undefined): boolean {
  const done = donePart === undefined ? [] : namesOf(donePart, fields);
  const isTyped = (name: string) => !done.includes(name) && fields.text(name).trim() !== "";
  const isKept = donePart !== undefined && savesEdits(donePart);
  return draftNames(fields).some(isTyped) || (!isKept && editedIn(fields).length > 0);
}

/** Parts whose buttons also save the fields at the side. A message takes their values with it. */
const savesEdits = (part: ThreadPart): boolean => part === "edit" || part === "note" || part === "reply";

const isEditName = (name: string): name is keyof typeof editLabels => name in editLabels;

/** The fields at the side that the person has changed. */
const editedIn = (fields: Fields) => names.edit.filter(isEditName).filter((name) => isEdited(fields, name));

const draftNames = (fields: Fields): string[] => [
  ...names.decision,
  ...names.note,
  "replyBody",
  ...fields.entries().flatMap(([name]) => (name.startsWith(recallNoteName("")) ? [name] : [])),
];

/** The fields that a button sends for its part. */
export function namesOf(part: ThreadPart, fields: Fields): readonly string[] {
  if (part === "recall") return [recallNoteName(fields.text("recall"))];
  return part !== "edit" && savesEdits(part) ? [...names[part], ...names.edit] : names[part];
}

const orderedRunIdOf = (sent: SentThread | undefined): string =>
  sent?.part === "recall" || sent?.part === "release" ? sent.fields.text(sent.part) : "";

function partOf(part: ThreadPart, stored: Values, sent: SentThread | undefined): Filled {
  if (!sent) return filledWith(stored);
  const { fields, refusal } = sent;
  if (isDone(part, sent)) return part === "recall" ? othersOf(part, fields) : filledWith(stored);
  return sent.part === part || (part === "edit" && hasEditFault(sent))
    ? { value: fields.text, refusal: atFieldsOf(namesOf(part, fields), refusal), sent: true }
    : { value: fields.text, sent: true };
}

/** Whether a message was refused because of a field at the side. */
const hasEditFault = ({ part, refusal }: SentThread): boolean =>
  savesEdits(part) && (refusal?.details.issues?.some(({ path }) => isEditName(fieldOf(path))) ?? false);

/** The API names a field at the side `change.status`, for example. */
const fieldOf = (path: string): string => path.replace(/^change\./, "");

/** The notes for the recall of other proposals are not sent yet. */
const othersOf = (part: ThreadPart, fields: Fields): Filled => ({
  value: (name) => (namesOf(part, fields).includes(name) ? "" : fields.text(name)),
  sent: true,
});

/**
 * The API names the text of a message `body` and the text of a decision or recall `note`. The form has a separate field
 * for each.
 */
function atFieldsOf([field]: readonly string[], refusal: ApiError | undefined): ApiError | undefined {
  const issues = refusal?.details.issues?.map(({ path, message }) => ({
    path: path === "body" || path === "note" ? (field ?? path) : fieldOf(path),
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
    if (savesEdits(sent.part) && sent.refusal?.code === "bad_request") {
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
  refusal === undefined && (part === sentPart || (part === "edit" && savesEdits(sentPart)));

/** A field that the page did not have is not edited. */
const isEdited = (fields: Fields, name: string): boolean =>
  fields.has(name) && fieldVersion(fields.text(name)) !== fields.text(originalVersionName(name));

/** The reader of the page, and the time. */
export interface PageReader {
  readonly email: string;
  readonly now: Date;
}

/** The hidden field with the newest message that the page showed. */
export const seenMessageName = "seenMessage";
