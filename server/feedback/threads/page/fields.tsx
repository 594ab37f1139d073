import { ApiError } from "../../../../src/contract/errors.ts";
import { limits } from "../../../../src/contract/limits.ts";
import type { OwnedThread } from "../../../../src/contract/threads.ts";
import type { SignedInVisit } from "../../../console/definitions.ts";
import {
  type Fields,
  type Filled,
  fieldVersion,
  filledWith,
  originalVersionName,
  type Values,
  versionAgain,
} from "../../../console/forms.tsx";
import { isZone, utcOf } from "../../../content/changelog/rules.ts";
import { editLabels } from "../badges.tsx";
import { snoozeRefusal } from "../rules.ts";

/** Returns the stored values of a thread for the fields in the side column. */
export const currentThread = ({ feedback, assignee }: OwnedThread) => ({
  status: feedback.status,
  category: feedback.category,
  subject: feedback.subject,
  githubIssueUrl: feedback.githubIssueUrl ?? "",
  addTags: "",
  assignee: assignee?.userId ?? "",
});

/** The parts of the form on the page of a thread. Each button sends the fields of all parts. */
export type ThreadPart =
  | "decision"
  | "recall"
  | "release"
  | "note"
  | "reply"
  | "edit"
  | "tags"
  | "assign"
  | "snooze"
  | "insert"
  | "block"
  | "link";

/** Returns the name of the field for the note of a recall. Each approved proposal has its own field. */
export const recallNoteName = (runId: string): string => `recallNote:${runId}`;

/** Returns the name of the hidden field that contains the time at which the shown claim began. */
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
  snooze: [],
  insert: [],
  block: [],
};

/** A sent form. The person used a button of `part`. Without a `refusal`, this part was saved. */
export interface SentThread {
  readonly fields: Fields;
  readonly part: ThreadPart;
  readonly refusal?: ApiError;
  /** The id of the added message. */
  readonly messageId?: string;
}

/** The values of the form's parts. */
export interface ThreadForms extends Readonly<Record<ThreadPart, Filled>> {
  /**
   * The versions of the values that the fields of `edit` had on the opened page. Hidden fields contain these
   * versions.
   */
  readonly was: Values;
  /** The id of the proposal that the person saw when they sent the form. Empty if no form was sent. */
  readonly readProposalId: string;
  readonly decisionRefused: boolean;
  /** The id of the proposal to recall or release. Empty for other actions. */
  readonly orderedRunId: string;
  readonly messageId: string | undefined;
  /** The newest message that the writer of the reply has seen. Undefined means the newest message on the page. */
  readonly seenMessage: string | undefined;
  /** The last merged thread that the writer of the reply has seen. */
  readonly seenMerge: string | undefined;
  /**
   * The receivers that the person saw while writing a reply to everyone. Undefined means the receivers on the
   * page.
   */
  readonly seenReceivers: string | undefined;
  /** The labels of the changed fields in the side column that are not saved. */
  readonly unsaved: readonly string[];
  /** Whether the sent form has any value that is not saved. */
  readonly isUnsaved: boolean;
}

/** Returns the values for the form of the next page. Unsaved text is kept. Other fields get stored values. */
export function threadForms(current: Values, sent?: SentThread): ThreadForms {
  const edit = editValues(current, sent);
  return {
    decision: partOf("decision", {}, sent),
    recall: partOf("recall", {}, sent),
    release: partOf("release", {}, sent),
    note: partOf("note", {}, sent),
    tags: partOf("tags", {}, sent),
    assign: partOf("assign", {}, sent),
    snooze: partOf("snooze", {}, sent),
    insert: partOf("insert", {}, sent),
    block: partOf("block", {}, sent),
    link: partOf("link", {}, sent),
    reply: partOf("reply", {}, sent),
    edit: {
      ...partOf("edit", current, sent),
      value: (name) => edit.values[name] ?? "",
      isStored: (name) => !edit.typed.includes(name),
    },
    was: edit.was,
    readProposalId: sent?.fields.text("runId") ?? "",
    decisionRefused: sent?.part === "decision" && sent.refusal !== undefined,
    orderedRunId: orderedRunIdOf(sent),
    messageId: sent?.messageId,
    seenMessage: seenIn(sent, seenMessageName),
    seenMerge: seenIn(sent, seenMergeName),
    seenReceivers: seenIn(sent, seenReceiversName),
    unsaved: sent && !isDone("edit", sent) ? editedIn(sent.fields).map((name) => editLabels[name]) : [],
    isUnsaved: sent !== undefined && hasDrafts(sent.fields, sent.refusal ? undefined : sent.part),
  };
}

/** Returns what the writer of an unsent reply had already seen, even if the page now shows newer data. */
function seenIn(
  sent: SentThread | undefined,
  name: typeof seenMessageName | typeof seenMergeName | typeof seenReceiversName,
): string | undefined {
  if (!sent?.fields.has(name) || isDone("reply", sent)) return undefined;
  const { fields, refusal } = sent;
  return refusal?.code === "answered" || fields.text("replyBody") === "" ? undefined : fields.text(name);
}

/** Whether a part other than `donePart` has unsaved text or changes. */
export function hasDrafts(fields: Fields, donePart: ThreadPart | undefined): boolean {
  const done = donePart === undefined ? [] : namesOf(donePart, fields);
  const isTyped = (name: string) => !done.includes(name) && fields.text(name).trim() !== "";
  const isKept = donePart !== undefined && savesEdits(donePart);
  return draftNames(fields).some(isTyped) || (!isKept && editedIn(fields).length > 0);
}

/** Whether the button of this part saves the fields in the side column. */
const savesEdits = (part: ThreadPart): boolean => part === "edit" || part === "note" || part === "reply";

const isEditName = (name: string): name is keyof typeof editLabels => name in editLabels;

/** Returns the names of the fields in the side column that the person has changed. */
const editedIn = (fields: Fields) => names.edit.filter(isEditName).filter((name) => isEdited(fields, name));

const draftNames = (fields: Fields): string[] => [
  ...names.decision,
  ...names.note,
  "replyBody",
  ...fields.entries().flatMap(([name]) => (name.startsWith(recallNoteName("")) ? [name] : [])),
];

/** Returns the names of the fields that the button of a part saves. */
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

/** Whether the form was refused because of a field in the side column. */
const hasEditFault = ({ part, refusal }: SentThread): boolean =>
  savesEdits(part) &&
  (refusal?.details.issues?.some(({ path }) => isEditName(fieldOf(path).split(".", 1)[0] ?? "")) ?? false);

/** Returns the name of a field for its path in the API, such as `change.status`. */
const fieldOf = (path: string): string => path.replace(/^change\./, "");

/**
 * Returns the sent values after a recall. The note of the recalled proposal is empty. All other values stay.
 */
const othersOf = (part: ThreadPart, fields: Fields): Filled => ({
  value: (name) => (namesOf(part, fields).includes(name) ? "" : fields.text(name)),
  sent: true,
});

/**
 * Replaces a refusal's paths with names of form fields. In the API, several fields have the path `body` or
 * `note`.
 */
function atFieldsOf([field]: readonly string[], refusal: ApiError | undefined): ApiError | undefined {
  const issues = refusal?.details.issues?.map(({ path, ...issue }) => ({
    ...issue,
    path: path === "body" || path === "note" ? (field ?? path) : fieldOf(path),
  }));
  return refusal && issues ? new ApiError(refusal.code, { ...refusal.details, issues }) : refusal;
}

/** Returns the values for the side column. An unchanged field shows the stored value, which may be newer. */
function editValues(current: Values, sent: SentThread | undefined) {
  const entries = names.edit.map((name) => {
    const stored = current[name] ?? "";
    const fresh = { name, value: stored, was: fieldVersion(stored), isTyped: false };
    if (!sent || isDone("edit", sent)) return fresh;
    const { fields, refusal } = sent;
    if (!isEdited(fields, name)) return fresh;
    const was = versionAgain({ value: fields.text, refusal }, name);
    return { name, value: fields.text(name), was, isTyped: true };
  });
  const sentWas = names.edit.map(originalVersionName).map((name) => [name, sent?.fields.text(name) ?? ""]);
  return {
    typed: entries.filter(({ isTyped }) => isTyped).map(({ name }) => name),
    values: Object.fromEntries([...entries.map(({ name, value }) => [name, value]), ...sentWas]),
    was: Object.fromEntries(entries.map(({ name, was }) => [name, was])),
  };
}

const isDone = (part: ThreadPart, { part: sentPart, refusal }: SentThread): boolean =>
  refusal === undefined && (part === sentPart || (part === "edit" && savesEdits(sentPart)));

/** Whether the person has changed a field. A missing field is not changed. */
const isEdited = (fields: Fields, name: string): boolean =>
  fields.has(name) && fieldVersion(fields.text(name)) !== fields.text(originalVersionName(name));

export interface PageReader {
  readonly email: string;
  readonly now: Date;
}

/** The name of the hidden field with the id of the newest message that the page showed. */
export const seenMessageName = "seenMessage";

/** The name of the hidden field for the last merged thread on the page. */
export const seenMergeName = "seenMerge";

/** The name of the hidden field for the receivers of a reply to everyone. */
export const seenReceiversName = "seenReceivers";

/** The value of the button that sends a reply and resolves the thread. */
export const resolving = "resolve";

/** The times for which a person can snooze a thread, in hours, and their names. */
export const snoozes = [
  ["4", "For 4 hours"],
  ["24", "For a day"],
  ["72", "For 3 days"],
  ["168", "For a week"],
  ["720", "For 30 days"],
] as const;

/** The value of a button that snoozes a thread until the day in `SnoozeDay`. */
export const untilDay = "day";

/** The time of day at which a snooze until a chosen day ends. */
const firstHour = "08:00";

/** The field for the day on which a snooze ends. A script fills in the browser's time zone. */
export const SnoozeDay = ({ id }: { readonly id: string }) => (
  <>
    <label for={id}>Until 8:00 on this day</label>
    <input id={id} type="date" name="snoozeDay" />
    <input type="hidden" name="snoozeZone" data-own-zone />
  </>
);

/**
 * Returns the end of a snooze. `value` is a number of hours, or `untilDay`. Throws `bad_request` for a wrong
 * time.
 */
export async function snoozeEnd({ fields, now, reads }: SignedInVisit, value: string): Promise<string> {
  if (value !== untilDay) {
    const hours = Number(value);
    if (!(hours > 0 && hours <= limits.snoozeDays * 24)) throw refused("Choose a time from the list.");
    return new Date(now.getTime() + hours * 3_600_000).toISOString();
  }
  const sent = fields.text("snoozeZone");
  const zone = (await reads.ownZone()) ?? (isZone(sent) ? sent : "UTC");
  const day = fields.text("snoozeDay");
  if (day === "") throw refused("Choose the day on which the thread comes back.");
  const end = `${utcOf(`${day}T${firstHour}`, zone)}:00Z`;
  if (snoozeRefusal({ status: "open", until: end }, now))
    throw refused(`Choose a day after today, in the next ${limits.snoozeDays} days.`);
  return end;
}

const refused = (message: string): ApiError => new ApiError("bad_request", { message });
