import type { Deps } from "../deps.ts";
import { proposalNote } from "../domain/feedback/proposal.ts";
import { createFaq } from "../routes/content/faq-changes.ts";
import { filesJson } from "../routes/feedback/feedback-report.ts";
import { changelogEntries } from "../store/content/changelog-entries.ts";
import type { Transaction } from "../store/engine/database.ts";
import { feedbackThreads } from "../store/feedback/feedback.ts";
import { messages } from "../store/feedback/messages.ts";
import { proposals } from "../store/feedback/proposals.ts";
import { demoChangelog, demoFaqs, demoProposal, demoThreads } from "./demo-content.ts";

interface Larder {
  readonly appId: string;
  /** The ids of the thread with a proposal, and of the proposal. */
  readonly threadId?: string;
  readonly runId?: string;
}

/** Fills Larder, the demo's own app, with FAQ, release notes and feedback. */
export async function seedLarder(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  larder: Larder,
): Promise<void> {
  for (const faq of demoFaqs) await createFaq(deps, tx, { appId: larder.appId, faq });
  await seedChangelog(deps, tx, larder.appId);
  await seedThreads(deps, tx, larder);
}

async function seedChangelog(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  appId: string,
): Promise<void> {
  for (const { ageHours, versions, items, ...entry } of demoChangelog) {
    const at = before(deps, ageHours);
    await changelogEntries.insert(tx, {
      ...entry,
      id: deps.newId(),
      appId,
      versions: JSON.stringify(versions),
      items: JSON.stringify(items),
      bodyFormat: "items",
      body: "",
      publishedAt: at,
      createdAt: at,
      updatedAt: at,
      editedFields: "[]",
    });
  }
}

async function seedThreads(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, threadId = deps.newId(), runId = deps.newId() }: Larder,
): Promise<void> {
  for (const [index, { type, name, email, metadata, ageHours, ...thread }] of demoThreads.entries()) {
    await feedbackThreads.insert(tx, {
      ...thread,
      id: index === 0 ? threadId : deps.newId(),
      appId,
      category: type,
      senderName: name,
      senderEmail: email,
      metadata: JSON.stringify(metadata),
      files: filesJson([]),
      dedupeKey: null,
      createdAt: before(deps, ageHours),
    });
  }
  const createdAt = before(deps, 1);
  await proposals.insert(tx, { id: runId, feedbackId: threadId, ...demoProposal, createdAt });
  await feedbackThreads.setProposalStatus(tx, threadId, "awaiting_approval");
  const note = {
    id: deps.newId(),
    feedbackId: threadId,
    direction: "note",
    author: "agent",
    body: proposalNote(demoProposal),
  } as const;
  await messages.insert(tx, { ...note, createdAt });
}

const before = ({ clock }: Pick<Deps, "clock">, hours: number): string =>
  new Date(clock.now().getTime() - hours * 3_600_000).toISOString();
