import type { Message, Proposal, Thread } from "../../src/contract/agent.ts";
import type { Settings } from "../settings.ts";
import type { ThreadRow } from "../store/feedback.ts";

/** A file of a thread: the name under which it is served, and what it is. */
export interface ThreadFile {
  readonly upload: string;
  readonly name: string;
  readonly mediaType: string;
  readonly size: number;
}

export interface ThreadFiles {
  readonly images: readonly ThreadFile[];
  readonly videos: readonly ThreadFile[];
  readonly attachments: readonly ThreadFile[];
}

type Addresses = Pick<Settings, "baseUrl" | "consoleUrl">;

export const threadUrl = ({ consoleUrl }: Addresses, appId: string, id: string): string =>
  `${consoleUrl}/feedback/${appId}/${id}`;

/** All proposals of a thread, oldest first. */
export const proposalsOf = (row: ThreadRow): Proposal[] => JSON.parse(row.proposals);

/** A stored thread as an agent reads it. */
export function threadAnswer(addresses: Addresses, row: ThreadRow): Thread {
  const messages: Message[] = JSON.parse(row.messages);
  return {
    app: { id: row.appId, name: row.appName },
    feedback: threadFeedback(addresses, row),
    messages,
    latestProposal: proposalsOf(row).at(-1) ?? null,
  };
}

function threadFeedback(addresses: Addresses, row: ThreadRow): Thread["feedback"] {
  const files: ThreadFiles = JSON.parse(row.files);
  const urlOf = ({ upload }: ThreadFile) => `${addresses.baseUrl}/uploads/${upload}`;
  return {
    id: row.id,
    consoleUrl: threadUrl(addresses, row.appId, row.id),
    subject: row.subject,
    message: row.message,
    category: row.category,
    status: row.status,
    metadata: JSON.parse(row.metadata),
    images: files.images.map(urlOf),
    videos: files.videos.map(urlOf),
    attachments: files.attachments.map((file) => ({
      name: file.name,
      url: urlOf(file),
      mediaType: file.mediaType,
      size: file.size,
    })),
    githubIssueUrl: row.githubIssueUrl,
    source: row.source,
    occurrences: row.occurrences,
    createdAt: row.createdAt,
  };
}
