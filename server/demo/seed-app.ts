import { createEntry } from "../content/changelog/api/changelog-changes.ts";
import { createFaq } from "../content/faqs/faq-changes.ts";
import type { Transaction } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { failures } from "../feedback/failures/store.ts";
import { feedbackReportOf } from "../feedback/reports/report.ts";
import { feedbackThreads } from "../feedback/threads/store.ts";
import type { SeedApp } from "./seed.ts";

interface SeededApp {
  readonly appId: string;
  readonly app: SeedApp;
}

/** Fills an app with the FAQ, the release notes and the feedback of a seed, by the rules of the API. */
export async function seedApp(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { appId, app }: SeededApp,
): Promise<void> {
  for (const faq of app.faqs) await createFaq(deps, tx, { appId, faq });
  for (const entry of app.changelog)
    await createEntry(deps, tx, { writer: { appId, isPerson: false }, entry });
  for (const body of app.feedback) {
    const { thread, scope, run } = feedbackReportOf(deps, appId, { body, files: [], hasRoom: true });
    await feedbackThreads.insert(tx, thread);
    if (thread.dedupeKey === null) continue;
    await failures.report(tx, { feedbackId: thread.id, appId, scope, run, reportedAt: thread.createdAt });
  }
}
