import type { Deps } from "../deps.ts";
import { createEntry } from "../routes/content/changelog-changes.ts";
import { createFaq } from "../routes/content/faq-changes.ts";
import { feedbackReportOf } from "../routes/feedback/feedback-report.ts";
import type { Transaction } from "../store/engine/database.ts";
import { failures } from "../store/feedback/failures.ts";
import { feedbackThreads } from "../store/feedback/feedback.ts";
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
