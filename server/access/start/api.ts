import { ApiError } from "../../../src/contract/errors.ts";
import type { start as contract } from "../../../src/contract/start.ts";
import type { Deps } from "../../deps.ts";
import { feedbackReportOf } from "../../feedback/reports/report.ts";
import { feedbackThreads } from "../../feedback/threads/store/threads.ts";
import type { Handlers } from "../../http/handler.ts";
import { readers } from "../../webhooks/endpoints/store.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { ownedApp } from "../apps/store.ts";
import { createAuditWriter } from "../audit/record.ts";
import { firstSteps } from "./store.ts";

/** Returns the handlers for the first steps with an app. (rule O36) */
export function start(
  deps: Pick<Deps, "clock" | "database" | "newId" | "settings">,
): Handlers<typeof contract> {
  const { database, clock } = deps;
  const record = createAuditWriter(deps);
  return {
    async read({ caller, params: { appId } }) {
      await ownedApp(database, appId, caller);
      const [steps, report] = await Promise.all([
        firstSteps.read(database, appId),
        firstSteps.firstReport(database, appId),
      ]);
      return {
        ...{ appId, report: report ?? null },
        hasKey: steps?.hasKey === 1,
        answered: steps?.answered === 1,
        putAway: steps?.putAwayAt != null,
      };
    },

    sendTestReport: ({ caller, address, params: { appId }, save }) =>
      save(async (tx) => {
        const app = await ownedApp(tx, appId, caller);
        if (app.feedbackEnabled !== 1) throw new ApiError("feedback_disabled");
        const body = { ...testReport, email: caller.email };
        const { thread } = feedbackReportOf(deps, appId, { body, files: [], hasRoom: true });
        const { id, createdAt: at } = thread;
        await feedbackThreads.insert(tx, thread);
        if (deps.settings.dev || (await readers.hasReceivers(tx, appId)))
          await recordEvent(deps, tx, {
            ...{ appId, type: "feedback.created", subjectId: id, at },
            facts: { type: thread.category },
          });
        await record(tx, { caller, address }, { action: "thread.test", appId, target: id });
        return { id };
      }),

    putAway: ({ caller, params: { appId }, save }) =>
      save(async (tx) => {
        await ownedApp(tx, appId, caller);
        await firstSteps.putAway(tx, appId, clock.now().toISOString());
        return undefined;
      }),
  };
}

const testReport = {
  type: "question",
  subject: "A test report",
  message: "Does my feedback arrive?",
  source: "the console",
} as const;
