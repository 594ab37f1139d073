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

/** The text of a proposal for the app's chat channel. It cannot mention or alert anyone. */
export const chatText = ({ appName, subject, summary, link }: ChatProposal): string =>
  `A proposal for ${escapeMentions(appName)} awaits a decision: ${escapeMentions(subject)}\n${escapeMentions(summary)}\n${link}`;

const escapeMentions = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("@", "@\u200b");

/** The present time, but always after `earlier`: clocks can be set back, and those of two servers differ. */
export const later = (now: Date, earlier: string | null): Date =>
  earlier === null ? now : new Date(Math.max(now.getTime(), Date.parse(earlier) + 1));
