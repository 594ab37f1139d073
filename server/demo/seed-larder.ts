import { changelogEntries } from "../content/changelog/changelog-entries.ts";
import { createFaq } from "../content/faqs/faq-changes.ts";
import type { Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { filesJson } from "../feedback/reports/report.ts";
import { feedbackThreads } from "../feedback/threads/store.ts";
import { demoChangelog, demoFaqs, demoThreads } from "./content.ts";
import { before, type ProposalMakers, seedProposals } from "./seed-proposals.ts";

interface Larder extends Pick<ProposalMakers, "ownerId" | "tokenId"> {
  readonly appId: string;
  /** The ids of the thread with a proposal that waits, and of the proposal. */
  readonly threadId?: string | undefined;
  readonly runId?: string | undefined;
}

/** Fills Larder, the demo's own app, with FAQ, release notes, feedback and the work of an agent. */
export async function seedLarder(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  larder: Larder,
): Promise<void> {
  for (const faq of demoFaqs) await createFaq(deps, tx, { appId: larder.appId, faq });
  await seedChangelog(deps, tx, larder.appId);
  const threadIds = await seedThreads(deps, tx, larder);
  await seedProposals(deps, tx, { ...larder, threadIds, runId: larder.runId ?? deps.newId() });
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

/** Gives the ids of the threads by subject. */
async function seedThreads(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, threadId = deps.newId() }: Larder,
): Promise<ReadonlyMap<string, string>> {
  const threadIds = new Map<string, string>();
  for (const [index, { type, name, email, metadata, ageHours, ...thread }] of demoThreads.entries()) {
    const id = index === 0 ? threadId : deps.newId();
    threadIds.set(thread.subject, id);
    await feedbackThreads.insert(tx, {
      ...thread,
      id,
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
  return threadIds;
}
