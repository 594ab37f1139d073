import type { OwnedThread } from "../../contract/console/feedback.ts";

type Message = OwnedThread["messages"][number];
type Proposal = OwnedThread["proposals"][number];

/** A thread as a person reads it in a terminal. */
export function threadText({ app, feedback, sender, messages, proposals }: OwnedThread): string {
  const from = [sender.name, sender.email && `<${sender.email}>`].filter(Boolean).join(" ") || "unknown";
  const files = [...feedback.images, ...feedback.videos];
  return [
    feedback.subject,
    feedback.consoleUrl,
    line("App", app.name),
    line("Status", `${feedback.status}, ${feedback.category}${times(feedback.occurrences)}`),
    line("From", `${from}, ${feedback.createdAt}`),
    line("Source", feedback.source),
    line("Issue", feedback.githubIssueUrl),
    ...Object.entries(feedback.metadata).map(([key, value]) => line(key, plain(value))),
    ...files.map((url) => line("File", url)),
    ...feedback.attachments.map(({ name, url }) => line("File", `${name} ${url}`)),
    `\n${feedback.message}`,
    ...messages.map(messageText),
    ...proposals.map(proposalText),
  ]
    .filter((text) => text !== undefined)
    .join("\n");
}

const line = (label: string, value: string | null): string | undefined =>
  value === null ? undefined : `${label}: ${value}`;

const times = (occurrences: number): string => (occurrences > 1 ? `, ${occurrences} times` : "");

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const directions: Readonly<Record<string, string>> = { inbound: "Sender", outbound: "Reply", note: "Note" };

const messageText = ({ direction, body, createdAt }: Message): string =>
  `\n-- ${directions[direction] ?? direction}, ${createdAt}\n${body}`;

const proposalText = ({ status, summary, plan, decisionNote, createdAt }: Proposal): string =>
  [
    `\n-- Proposal, ${status}, ${createdAt}`,
    summary,
    "",
    plan,
    ...(decisionNote ? ["", `Decision: ${decisionNote}`] : []),
  ].join("\n");
