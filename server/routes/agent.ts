import { type agent as contract, Run } from "../../src/contract/agent.ts";
import { ApiError } from "../../src/contract/errors.ts";
import type { Deps } from "../deps.ts";
import { chatText, later, proposalNote } from "../domain/proposal.ts";
import { prepareAnswer } from "../http/answers.ts";
import type { AgentCaller, Handlers } from "../http/handler.ts";
import { remembered } from "../http/remembered.ts";
import type { Transaction } from "../store/database.ts";
import { feedback } from "../store/feedback.ts";
import { messages } from "../store/messages.ts";
import { outbox } from "../store/outbox.ts";
import { type NewRun, type OwnedRun, runs } from "../store/runs.ts";
import { concernsRuns, outboxTopic, runTopic, threadsTopic, tokensTopic } from "../store/topics.ts";
import { threadAnswer, threadUrl } from "./thread-answer.ts";

export const agent = (deps: Deps): Handlers<typeof contract> => {
  const findRun = remembered(deps.database, concernsRuns, async (id) => {
    const run = await runs.findOwned(deps.database, id);
    return run && { run, answer: prepareAnswer(JSON.stringify(Run.parse(run))) };
  });
  return {
    async readThread({ caller, params }) {
      const thread = await feedback.findThread(deps.database, params.id, caller);
      if (!thread) throw new ApiError("not_found");
      return threadAnswer(deps.settings, thread);
    },

    propose: ({ caller, params, body, save }) =>
      save(async (tx) => {
        const id = deps.newId();
        await propose(deps, tx, caller, { id, feedbackId: params.id, ...body });
        return { runId: id, status: "awaiting_approval", pollUrl: `/api/v1/agent/runs/${id}` };
      }),

    async readRun(request) {
      const { runId } = request.params;
      const milliseconds = (request.query.wait ?? 0) * 1_000;
      const look = async () => {
        const found = await findRun(runId);
        // After the run was read: an answer that was held must not leave with a credential that is gone.
        const caller = milliseconds === 0 ? request.caller : await request.callerNow();
        return found && mayRead(caller, found.run) ? found : undefined;
      };
      const found = await deps.waiting.until([runTopic(runId), tokensTopic, threadsTopic], look, {
        enough: (seen) => seen?.run.status !== "awaiting_approval",
        milliseconds,
        signal: request.signal,
      });
      if (!found) throw new ApiError("not_found");
      return found.answer;
    },
  };
};

const mayRead = ({ userId, appId }: AgentCaller, run: OwnedRun): boolean =>
  run.ownerId === userId && (appId === null || run.appId === appId);

type Draft = Omit<NewRun, "createdAt">;

/** Writes a proposal: the run in place of the one that waits, the note on the thread, the message to the chat. */
async function propose(deps: Deps, tx: Transaction, caller: AgentCaller, draft: Draft): Promise<void> {
  await tx.lock(draft.feedbackId);
  const thread = await feedback.findApp(tx, draft.feedbackId, caller);
  if (!thread) throw new ApiError("not_found");

  const now = deps.clock.now();
  const newest = await runs.newestAt(tx, draft.feedbackId);
  const run = { ...draft, createdAt: later(now, newest?.at ?? null).toISOString() };
  const replaced = { id: run.id, note: `Replaced by run ${run.id}.`, at: run.createdAt };
  for (const older of await runs.replace(tx, run.feedbackId, replaced)) tx.signal(runTopic(older.id));
  await runs.insert(tx, run);
  await feedback.setProposalStatus(tx, run.feedbackId, "awaiting_approval");
  const note = {
    id: deps.newId(),
    feedbackId: run.feedbackId,
    direction: "note",
    body: proposalNote(run),
  } as const;
  await messages.insert(tx, { ...note, createdAt: run.createdAt });

  if (!thread.chatWebhookUrl) return;
  const link = threadUrl(deps.settings, thread.appId, run.feedbackId);
  await outbox.insert(tx, {
    id: deps.newId(),
    appId: thread.appId,
    kind: "chat",
    subjectId: run.id,
    target: thread.chatWebhookUrl,
    payload: JSON.stringify({ text: chatText({ ...thread, summary: run.summary, link }) }),
    createdAt: now.toISOString(),
  });
  tx.signal(outboxTopic);
}
