import { quoted, unmade } from "../../../src/words/visible.ts";

/** The text of the internal note for a proposal. */
export const proposalNote = ({
  summary,
  plan,
}: {
  readonly summary: string;
  readonly plan: string;
}): string => `An agent proposes:\n\n${summary}\n\nPlan:\n\n${plan}`;

export interface ChatProposal {
  readonly appName: string;
  readonly subject: string;
  readonly summary: string;
  readonly link: string;
}

/**
 * The text of a proposal for the app's chat channel. Our own link stands first. The words of others follow, each on a
 * line of its own, and can neither mention anyone nor lead anywhere. (rule W3)
 */
export const chatText = ({ appName, subject, summary, link }: ChatProposal): string =>
  [
    `A proposal for ${unmade(appName, most.appName)} awaits a decision: ${link}`,
    `Reported by the public: ${quoted(unmade(subject, most.subject))}`,
    `Written by an agent: ${quoted(unmade(summary, most.summary))}`,
  ].join("\n");

const most = { appName: 100, subject: 100, summary: 500 } as const;

/** The present time, but always after `earlier`: clocks can be set back, and those of two servers differ. */
export const later = (now: Date, earlier: string | null): Date =>
  earlier === null ? now : new Date(Math.max(now.getTime(), Date.parse(earlier) + 1));
