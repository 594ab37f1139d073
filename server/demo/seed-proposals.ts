import type { Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { runClaims } from "../feedback/agent-work/store/claims.ts";
import { messages } from "../feedback/messages/store.ts";
import { proposalNote } from "../feedback/proposals/proposal.ts";
import { outcomeNote, statusOf } from "../feedback/proposals/rules.ts";
import { proposals } from "../feedback/proposals/store.ts";
import { feedbackThreads } from "../feedback/threads/store.ts";
import { type DemoClaim, type DemoProposal, demoProposals } from "./demo-proposals.ts";

type Needed = Pick<Deps, "clock" | "newId">;

export interface ProposalMakers {
  /** The threads of the demo, by subject. */
  readonly threadIds: ReadonlyMap<string, string>;
  /** The id of the proposal that waits. */
  readonly runId: string;
  readonly ownerId: string;
  /** The agent's token. */
  readonly tokenId: string;
}

/** Seeds what an agent has proposed and done in Larder. */
export async function seedProposals(deps: Needed, tx: Transaction, makers: ProposalMakers): Promise<void> {
  for (const proposal of demoProposals) {
    const found = [...makers.threadIds].find(([subject]) => subject.startsWith(proposal.thread));
    if (found) await seedProposal(deps, tx, { ...makers, proposal, feedbackId: found[1] });
  }
}

interface NewDemoProposal extends ProposalMakers {
  readonly proposal: DemoProposal;
  readonly feedbackId: string;
}

async function seedProposal(
  deps: Needed,
  tx: Transaction,
  { proposal, feedbackId, ownerId, tokenId, runId }: NewDemoProposal,
): Promise<void> {
  const { summary, plan, decided, claim } = proposal;
  const id = decided ? deps.newId() : runId;
  const createdAt = before(deps, proposal.ageHours);
  await proposals.insert(tx, { id, feedbackId, summary, plan, createdAt });
  await seedNote(deps, tx, { feedbackId, body: proposalNote(proposal), createdAt });
  if (decided) {
    const { decision, note } = decided;
    const by = { by: ownerId, at: before(deps, decided.ageHours), expiresAt: null };
    await proposals.decide(tx, id, { status: statusOf(decision), decision, note, ...by });
  }
  if (claim) await seedClaim(deps, tx, { claim, runId: id, userId: ownerId, tokenId, feedbackId });
  await feedbackThreads.setProposalStatus(tx, feedbackId);
}

interface NewDemoClaim {
  readonly claim: DemoClaim;
  readonly runId: string;
  readonly userId: string;
  readonly tokenId: string;
  readonly feedbackId: string;
}

async function seedClaim(
  deps: Needed,
  tx: Transaction,
  { claim: { worker, ageHours, progress, outcome }, runId, userId, tokenId, feedbackId }: NewDemoClaim,
): Promise<void> {
  const id = deps.newId();
  const claimedAt = before(deps, ageHours);
  await proposals.markRead(tx, runId, claimedAt);
  await runClaims.insert(tx, { id, runId, userId, tokenId, worker, claimedAt });
  for (const { text, ageHours: age } of progress)
    await runClaims.addProgress(tx, { id: deps.newId(), claimId: id, text, createdAt: before(deps, age) });
  if (!outcome) return;
  const at = before(deps, outcome.ageHours);
  await runClaims.setOutcome(tx, id, { ...outcome, at });
  await seedNote(deps, tx, { feedbackId, body: outcomeNote(outcome), createdAt: at });
}

const seedNote = (
  { newId }: Pick<Deps, "newId">,
  tx: Transaction,
  note: { readonly feedbackId: string; readonly body: string; readonly createdAt: string },
) => messages.insert(tx, { id: newId(), direction: "note", author: "agent", ...note });

/** The instant so many hours before the demo is made. */
export const before = ({ clock }: Pick<Deps, "clock">, hours: number): string =>
  new Date(clock.now().getTime() - hours * 3_600_000).toISOString();
