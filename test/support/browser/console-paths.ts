import type { ProposalStates } from "../worlds/agents/proposal-states.ts";
import type { OwnerWithOneOfEach } from "../worlds/owner-with-one-of-each.ts";

/** Every page of the console, as its owner reaches it. */
export const consolePaths = ({
  app,
  threadId,
  faqId,
  entryId,
  listingId,
  cycleId,
  slotId,
  webhookId,
}: OwnerWithOneOfEach): string[] => [
  "/console",
  "/console/search",
  "/console/search?q=it",
  `/console/feedback/${app.id}`,
  `/console/feedback/${app.id}/${threadId}`,
  `/console/numbers/${app.id}`,
  `/console/numbers/${app.id}?from=2026-10-01&to=2026-11-30&zone=Asia%2FKolkata`,
  `/console/tags/${app.id}`,
  `/console/blocked/${app.id}`,
  `/console/automatic-mails/${app.id}`,
  `/console/saved-replies/${app.id}`,
  `/console/faqs/${app.id}`,
  `/console/faqs/${app.id}/new`,
  `/console/faqs/${app.id}/${faqId}`,
  `/console/changelog/${app.id}`,
  `/console/changelog/${app.id}/new`,
  `/console/changelog/${app.id}/${entryId}`,
  `/console/testing/${app.id}`,
  `/console/testing/${app.id}/new`,
  `/console/testing/${app.id}/${listingId}`,
  `/console/cycles/${app.id}/${cycleId}`,
  `/console/cycles/${app.id}/${cycleId}?slot=${slotId}`,
  `/console/cycles/${app.id}/${cycleId}?slot=${slotId}&day=1`,
  `/console/cycles/${app.id}/${cycleId}/report`,
  `/console/members/${app.id}`,
  `/console/webhooks/${app.id}`,
  `/console/webhooks/${app.id}/${webhookId}`,
  `/console/data/${app.id}`,
  "/console/new-app",
  "/console/import",
  `/console/apps/${app.id}`,
  "/console/account",
  "/console/account/notices",
  "/console/tokens",
  "/console/devices",
  "/console/sign-in-methods",
  "/console/people",
  "/console/audit",
  "/console/drafts",
];

/** The page of a thread for each state of a proposal. */
export const proposalPaths = ({ app }: OwnerWithOneOfEach, states: ProposalStates): string[] =>
  Object.values(states).map((threadId) => `/console/feedback/${app.id}/${threadId}`);
