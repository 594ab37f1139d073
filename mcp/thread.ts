import type { Thread } from "../src/contract/agent.ts";
import { runDecisions } from "../src/contract/runs.ts";
import {
  at,
  idAt,
  instantAt,
  isText,
  linkAt,
  listAt,
  numberAt,
  oneOf,
  recordAt,
  textAt,
  wordAt,
} from "./json.ts";
import { Refusal } from "./refusal.ts";

/**
 * The checked parts of a thread. A server may leave out fields that the API does not promise, and may send anything
 * in the others.
 */
export interface ThreadParts {
  readonly app: { readonly id: string; readonly name: string };
  readonly id: string;
  readonly consoleUrl: string | null;
  readonly category: string;
  readonly status: string;
  readonly createdAt: string | null;
  readonly githubIssueUrl: string | null;
  readonly subject: string;
  readonly message: string;
  readonly source: string | null;
  readonly occurrences: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly images: readonly string[];
  readonly videos: readonly string[];
  readonly attachments: readonly AttachmentParts[];
  readonly messages: readonly MessageParts[];
  readonly latestProposal: ProposalParts | null;
  /** How many older messages the server leaves out. */
  readonly omittedMessages: number;
  /** Whether the server refuses a proposal if its expected latest proposal is outdated. */
  readonly takesExpectedRun: boolean;
}

export interface AttachmentParts {
  readonly name: string;
  readonly url: string;
  readonly mediaType: string;
  readonly size: number | null;
}

export interface MessageParts {
  readonly direction: string;
  /** `sender`, `team` or `agent`; `unknown` if the server does not say. */
  readonly author: string;
  readonly body: string;
  readonly createdAt: string | null;
  /** The fields of a repeated report beside its text. They are unchecked, too. */
  readonly report?: Readonly<Record<string, unknown>> | null;
}

export interface ProposalParts {
  readonly id: string;
  readonly status: string;
  readonly summary: string;
  readonly plan: string;
  readonly decision: string | null;
  readonly decisionNote: string | null;
  readonly decidedAt: string | null;
  readonly createdAt: string | null;
  readonly replacedBy: string | null;
}

/** More files than the API allows: a server that ignores that must not fill an answer with them. */
const mostFiles = 20;

/** Reads the parts of a thread. Throws a Refusal if the value is not a thread. */
export function partsOf(thread: Thread): ThreadParts {
  const feedback = at(thread, "feedback");
  const id = idAt(feedback, "id");
  if (id === null) throw new Refusal(noThread);
  const latestProposal = proposalOf(at(thread, "latestProposal"));
  return {
    app: { id: idAt(at(thread, "app"), "id") ?? "unknown", name: textAt(at(thread, "app"), "name") },
    id,
    consoleUrl: linkAt(feedback, "consoleUrl"),
    category: wordAt(feedback, "category"),
    status: wordAt(feedback, "status"),
    createdAt: instantAt(feedback, "createdAt"),
    githubIssueUrl: linkAt(feedback, "githubIssueUrl"),
    subject: textAt(feedback, "subject"),
    message: textAt(feedback, "message"),
    source: textAt(feedback, "source") || null,
    occurrences: numberAt(feedback, "occurrences") ?? 1,
    metadata: recordAt(feedback, "metadata"),
    images: listAt(feedback, "images").filter(isText).slice(0, mostFiles),
    videos: listAt(feedback, "videos").filter(isText).slice(0, mostFiles),
    attachments: listAt(feedback, "attachments").slice(0, mostFiles).map(attachmentOf),
    messages: listAt(thread, "messages").map(messageOf(latestProposal)),
    latestProposal,
    omittedMessages: Math.max(0, numberAt(thread, "omittedMessages") ?? 0),
    takesExpectedRun: numberAt(thread, "omittedMessages") !== null,
  };
}

const noThread =
  "The server answered with something that is not a feedback thread. Tell the user to check INNKEEP_BASE_URL and to update innkeep.";

const attachmentOf = (attachment: unknown): AttachmentParts => ({
  name: textAt(attachment, "name"),
  url: textAt(attachment, "url"),
  mediaType: wordAt(attachment, "mediaType"),
  size: numberAt(attachment, "size"),
});

const messageOf =
  (latest: ProposalParts | null) =>
  (message: unknown): MessageParts => {
    const parts = {
      direction: wordAt(message, "direction"),
      author: wordAt(message, "author"),
      body: textAt(message, "body"),
      createdAt: instantAt(message, "createdAt"),
      report: reportOf(message),
    };
    return latest && isNoteOf(latest, parts) ? { ...parts, body: textOfLatest } : parts;
  };

/** Structure and text have the plan under these names. */
const textOfLatest =
  "The latest proposal: see `agents.proposal`, or the plan of the latest proposal, on the first page.";

/** Whether a message is the note that the latest proposal left on the thread. Its text is shown only once. */
function isNoteOf({ summary, plan }: ProposalParts, { direction, author, body }: MessageParts): boolean {
  if (direction !== "note" || author === "team" || plan === "") return false;
  const frame = body.length - summary.length - plan.length;
  return frame >= 0 && frame <= 100 && body.includes(summary) && body.includes(plan);
}

const reportFields = ["category", "subject", "source", "metadata", "images", "videos", "attachments"];

function reportOf(message: unknown): MessageParts["report"] {
  const entries = reportFields
    .map((name) => [name, at(message, name)] as const)
    .filter(([, part]) => isGiven(part));
  return entries.length === 0 ? null : Object.fromEntries(entries);
}

const isGiven = (part: unknown): boolean =>
  part !== null && (typeof part === "object" ? Object.keys(part).length > 0 : part !== undefined);

function proposalOf(proposal: unknown): ProposalParts | null {
  const id = idAt(proposal, "id") ?? idAt(proposal, "runId");
  if (id === null) return null;
  return {
    id,
    status: wordAt(proposal, "status"),
    summary: textAt(proposal, "summary"),
    plan: textAt(proposal, "plan"),
    decision: oneOf(runDecisions, textAt(proposal, "decision")),
    decisionNote: textAt(proposal, "decisionNote") || null,
    decidedAt: instantAt(proposal, "decidedAt"),
    createdAt: instantAt(proposal, "createdAt"),
    replacedBy: idAt(proposal, "replacedBy"),
  };
}
