import { notices, type Sanitiser } from "../../src/words/fence.ts";
import type { MessageParts, ThreadParts } from "../thread.ts";
import type { ThreadPage } from "../thread-page.ts";
import type { ImageLoading } from "./images.ts";
import type { ReadFeedbackOutput } from "./read-feedback.ts";
import { uploadUrl } from "./upload-url.ts";

/** The limit of the API. A server that ignores it must not fill the answer. */
const most = { subject: 800, source: 400, name: 400, note: 8_000 } as const;

interface AnswerContext {
  readonly baseUrl: string;
  readonly sanitiser: Sanitiser;
  /** The images that were asked for. */
  readonly images: readonly ImageLoading[];
}

/**
 * The structured content of a thread: text of the public stands only under `untrusted`, text of agents only under
 * `agents`, and text of the team only under `team` and in the decision's note.
 */
export function structuredThread(
  thread: ThreadParts,
  page: ThreadPage,
  { baseUrl, sanitiser, images }: AnswerContext,
): ThreadAnswer {
  const messages = page.messages.map((message, at) => shownMessage(message, at + 1, sanitiser));
  const urlOf = (address: string) => uploadUrl(address, baseUrl)?.href ?? null;
  return {
    app: { id: thread.app.id },
    feedback_id: thread.id,
    console_url: thread.consoleUrl,
    category: thread.category,
    status: thread.status,
    occurrences: thread.occurrences,
    created_at: thread.createdAt,
    github_issue_url: thread.githubIssueUrl,
    latest_proposal: latestProposalOf(thread, sanitiser),
    images: thread.images.map((image, index) => ({
      index,
      url: urlOf(image),
      resource_uri: imageUri(thread.id, index),
      ...(images[index] && { shown: images[index].shown }),
    })),
    videos: thread.videos.map((video, index) => ({ index, url: urlOf(video) })),
    attachments: thread.attachments.map(({ url, mediaType, size }, index) => ({
      index,
      url: urlOf(url),
      media_type: mediaType,
      size,
    })),
    untrusted: { ...untrustedParts(thread, page, sanitiser), messages: messages.filter(isPublic) },
    team: teamParts(thread, messages, sanitiser),
    ...agentParts(page, messages, sanitiser),
    truncated: page.omitted.chars > 0 || page.omitted.messages > 0,
    omitted: page.omitted,
    next_cursor: page.nextCursor,
    removed_characters: sanitiser.removed(),
  };
}

export const imageUri = (feedbackId: string, index: number): string =>
  `innkeep://feedback/${feedbackId}/images/${index}`;

function untrustedParts(thread: ThreadParts, page: ThreadPage, { text, value }: Sanitiser) {
  return {
    notice: notices.public,
    subject: text(thread.subject.slice(0, most.subject)),
    ...(page.message === undefined ? {} : { message: text(page.message) }),
    ...(page.metadata === undefined ? {} : { metadata: value(page.metadata) }),
    ...(thread.source === null ? {} : { source: text(thread.source.slice(0, most.source)) }),
    ...(thread.attachments.length === 0
      ? {}
      : { attachment_names: thread.attachments.map(({ name }) => text(name.slice(0, most.name))) }),
  };
}

function teamParts({ app }: ThreadParts, messages: readonly ShownMessage[], { text }: Sanitiser): TeamWords {
  const said = messages.filter(isTeams);
  const name = text(app.name.slice(0, most.name));
  return { notice: notices.team, app_name: name, ...(said.length > 0 && { messages: said }) };
}

function agentParts(
  { proposal }: ThreadPage,
  messages: readonly ShownMessage[],
  { text }: Sanitiser,
): { readonly agents?: AgentWords } {
  const said = messages.filter(isAgents);
  if (said.length === 0 && !proposal) return {};
  const plan = proposal && { summary: text(proposal.summary), plan: text(proposal.plan) };
  return {
    agents: {
      notice: notices.agents,
      ...(said.length > 0 && { messages: said }),
      ...(plan && { proposal: plan }),
    },
  };
}

type Authored = Pick<MessageParts, "author">;
const isTeams = ({ author }: Authored): boolean => author === "team";
const isAgents = ({ author }: Authored): boolean => author === "agent";
/** Also if the server does not say who wrote it. */
const isPublic = (message: Authored): boolean => !isTeams(message) && !isAgents(message);

const shownMessage = (
  { direction, author, body, createdAt, report }: MessageParts,
  number: number,
  { text, value }: Pick<Sanitiser, "text" | "value">,
): ShownMessage => ({
  number,
  direction,
  author,
  body: text(body),
  created_at: createdAt,
  ...(report ? { report: value(report) } : {}),
});

interface TeamWords {
  readonly [name: string]: unknown;
  readonly notice: string;
  readonly app_name: string;
  readonly messages?: readonly ShownMessage[];
}

interface AgentWords {
  readonly [name: string]: unknown;
  readonly notice: string;
  readonly messages?: readonly ShownMessage[];
  readonly proposal?: Readonly<Record<"summary" | "plan", string>>;
}

/** A thread as structured content. */
export type ThreadAnswer = ReadFeedbackOutput & {
  readonly untrusted: { readonly messages: readonly ShownMessage[] };
  readonly team: TeamWords;
  readonly agents?: AgentWords;
  readonly latest_proposal: ShownProposal | null;
};

export interface ShownMessage {
  readonly [name: string]: unknown;
  /** Its place among the messages of this page, also of other authors. */
  readonly number: number;
  readonly direction: string;
  readonly author: string;
  readonly body: string;
  readonly created_at: string | null;
  readonly report?: unknown;
}

type ShownProposal = NonNullable<ReturnType<typeof latestProposalOf>>;

function latestProposalOf({ latestProposal }: ThreadParts, { text }: Sanitiser) {
  if (!latestProposal) return null;
  const { id, status, decision, decisionNote, decidedAt, createdAt, replacedBy } = latestProposal;
  return {
    run_id: id,
    status,
    decision,
    decision_note: decisionNote === null ? null : text(decisionNote.slice(0, most.note)),
    decided_at: decidedAt,
    created_at: createdAt,
    superseded_by: replacedBy,
  };
}
