import { limits } from "../../../src/contract/limits.ts";

/** A field in which a person types text. `label` is for pages without the form. `most` is the limit in code points. */
interface DraftField {
  readonly label: string;
  readonly most: number;
  /**
   * Whether the field is for an answer in a thread. While a person types in such a field, other members see who
   * is writing. (rule F36)
   */
  readonly answers?: boolean;
  /**
   * The control whose choice belongs to the text, such as the receiver of a reply. The choice is stored only
   * together with a text. (rule O17)
   */
  readonly choice?: string;
  /** Whether the field adds something to an object. Such a field is empty after its text was saved. */
  readonly adds?: boolean;
}

/** The value of the field for the receiver of a reply to everyone. */
export const everyone = "everyone";

/** The value of the field for the receiver of a reply if the person must still choose one. (rule M10) */
export const unchosen = "unchosen";

/** The limit of a draft for a number or date. It is high, because people may type any text. */
const short = 100;

/** The fields whose drafts are stored, by name. Never add a password, a code or a secret. (rule O18) */
const single: Readonly<Record<string, DraftField>> = {
  note: { label: "Note to the agent", most: limits.decisionNote, answers: true },
  noteBody: { label: "Internal note", most: limits.message, answers: true },
  replyBody: { label: "Reply", most: limits.message, answers: true, choice: "replyReceiver" },
  subject: { label: "Subject", most: limits.subject },
  addTags: { label: "Add tags", most: limits.threadTags * (limits.tagName + 2), adds: true },
  githubIssueUrl: { label: "Linked issue", most: limits.url },
  question: { label: "Question", most: limits.question },
  answer: { label: "Answer", most: limits.answer },
  sortOrder: { label: "Sort number", most: short },
  title: { label: "Title", most: limits.changelogTitle },
  version: { label: "Version", most: limits.version },
  body: { label: "Text", most: limits.changelogBody },
  fixes: { label: "Fixes threads", most: limits.changelogFeedback * 40 },
  publishedAt: { label: "Publication time", most: short },
  name: { label: "Name", most: limits.appName },
  githubRepository: { label: "GitHub repository", most: limits.url },
  approvalHours: { label: "Approvals expire after (hours)", most: short },
  retentionDays: { label: "Delete resolved threads after (days)", most: short },
  appName: { label: "Name of the app", most: limits.appName },
  packageName: { label: "Package name", most: limits.packageName },
  optInUrl: { label: "Opt-in address", most: limits.url },
  iconUrl: { label: "Icon address", most: limits.url },
  testBrief: { label: "What to test", most: limits.testBrief },
  screens: { label: "Screens", most: limits.listingScreens * (limits.screenName + 1) },
  seats: { label: "Slots", most: short },
  durationDays: { label: "Days", most: short },
  maxMissedDays: { label: "Missed days", most: short },
  startsOn: { label: "First day", most: short },
  email: { label: "E-mail", most: limits.email },
  label: { label: "Label", most: limits.label },
};

/** The fields that a form can contain several times, such as one for each language. */
const several: readonly (readonly [RegExp, DraftField])[] = [
  [/^recallNote:[\w-]+$/, { label: "Why you recall it", most: limits.decisionNote, answers: true }],
  [/^items\.\d+\.text$/, { label: "Change", most: limits.changelogItem }],
  [/^translations\.[\w-]{2,35}\.question$/, { label: "Question", most: limits.question }],
  [/^translations\.[\w-]{2,35}\.answer$/, { label: "Answer", most: limits.answer }],
  [/^translations\.[\w-]{2,35}\.title$/, { label: "Title", most: limits.changelogTitle }],
  [/^translations\.[\w-]{2,35}\.body$/, { label: "Text", most: limits.changelogBody }],
  [/^translations\.[\w-]{2,35}\.items\.\d+\.text$/, { label: "Change", most: limits.changelogItem }],
  [/^versions\.\d+\.platform$/, { label: "Platform", most: limits.platform }],
  [/^versions\.\d+\.version$/, { label: "Version on a platform", most: limits.version }],
];

/** Returns the field with this name; undefined if drafts of this field are not stored. */
export const draftFieldOf = (name: string): DraftField | undefined =>
  Object.hasOwn(single, name) ? single[name] : several.find(([pattern]) => pattern.test(name))?.[1];

/** The kinds of objects to which a form can belong. */
export type ObjectKind = "thread" | "faq" | "note" | "cycle" | "listing";

/** The object to which a form belongs. */
export interface FormObject {
  readonly kind: ObjectKind;
  readonly appId: string;
  readonly id: string;
}
