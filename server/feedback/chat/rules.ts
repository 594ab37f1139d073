import { quoted, unmade } from "../../../src/words/visible.ts";

/**
 * Returns the message about a proposal for the app's chat channel. It begins with the link to the console. The texts of
 * the sender and the agent follow, each on a separate line. They cannot mention anybody and contain no working link.
 * (rules A8, W3)
 */
export const chatText = ({
  appName,
  subject,
  summary,
  link,
}: {
  readonly appName: string;
  readonly subject: string;
  readonly summary: string;
  readonly link: string;
}): string =>
  [
    `A proposal for ${unmade(appName, mostInChat.appName)} awaits a decision: ${link}`,
    `Reported by the public: ${quoted(unmade(subject, mostInChat.subject))}`,
    `Written by an agent: ${quoted(unmade(summary, mostInChat.summary))}`,
  ].join("\n");

const mostInChat = { appName: 100, subject: 100, summary: 500 } as const;
