import type { agent as contract, NewProposal } from "../../../../src/contract/agent.ts";
import { ApiError } from "../../../../src/contract/errors.ts";
import type { Deps } from "../../../deps.ts";
import { chatText, later, proposalNote } from "../../../domain/feedback/proposal.ts";
import { expiryOf } from "../../../domain/feedback/run-life.ts";
import { prepareAnswer } from "../../../http/answers.ts";
import type { AgentCaller, Handlers } from "../../../http/handler.ts";
import { cachedLookupUpTo } from "../../../http/lookup-cache.ts";
import type { Transaction } from "../../../store/engine/database.ts";
import {
  concernsProposals,
  outboxTopic,
  proposalTopic,
  threadsTopic,
  tokensTopic,
} from "../../../store/engine/topics.ts";
import { feedbackThreads } from "../../../store/feedback/feedback.ts";
import { messages } from "../../../store/feedback/messages.ts";
import { outbox } from "../../../store/feedback/outbox.ts";
import {
  type NewProposalRow,
  type OwnedProposal,
  proposals,
} from "../../../store/feedback/runs/proposals.ts";
import { doubtfulTime } from "../../doubtful-time.ts";
import { hold } from "../../held-request.ts";
import { storedProposals, threadAnswer, threadUrl } from "../feedback-answer.ts";
import { momentOf } from "../moment.ts";
import { findWork } from "./find-work.ts";
import { proposalAnswer } from "./proposal-answer.ts";
import { createStepRecorder, needsSettling, settle } from "./run-steps.ts";
import { runWork } from "./run-work.ts";

export const agent = (
  deps: Pick<
    Deps,
    "clock" | "database" | "newId" | "settings" | "stopping" | "threadWatch" | "time" | "waiting"
  >,
): Handlers<typeof contract> => {
  const { database, settings } = deps;
  const record = createStepRecorder(deps);
  const load = async (id: string) => knownRun(settings, await proposals.findOwned(database, id));
  const findRun = cachedLookupUpTo(mostRuns, { database, concerns: concernsProposals, load });
  return {
    ...findWork(deps),
    ...runWork(deps),

    async readThread({ caller, params }) {
      const find = () => feedbackThreads.findThreadForAgent(database, params.id, caller);
      let thread = await find();
      const approval = thread && storedProposals(thread).at(-1);
      if (approval && expiryOf(approval, momentOf(deps)) === "unknown") throw doubtfulTime();
      if (approval && needsSettling(approval, deps.clock.now())) {
        await settle(deps, approval.id);
        thread = await find();
      }
      if (!thread) throw new ApiError("not_found");
      return threadAnswer(settings, thread, deps.clock.now());
    },

    propose: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const id = deps.newId();
        const draft = { id, feedbackId: params.id, ...body };
        const { appId, replaced } = await propose(deps, tx, { caller, draft });
        const author = { caller, address };
        for (const older of replaced) {
          const facts = { decision: "replaced", replacedBy: id };
          const run = { id: older, appId, feedbackId: params.id, author };
          await record(tx, run, { action: "run.replace", event: "run.decided", facts });
        }
        const run = { id, appId, feedbackId: params.id, author };
        await record(tx, run, { action: "run.propose", event: "run.proposed" });
        return { runId: id, status: "awaiting_approval", pollUrl: `/api/v1/agent/runs/${id}` };
      }),

    async readRun(request) {
      const { runId } = request.params;
      const milliseconds = (request.query.wait ?? 0) * 1_000;
      const look = async () => {
        const found = await findRun(runId);
        // Checked after the proposal was read: a credential that was revoked while the request waited must not get the
        // answer.
        const caller = milliseconds === 0 ? request.caller : await request.callerNow();
        return found && mayRead(caller, found) ? found : undefined;
      };
      const found = await hold(deps, request, {
        topics: [proposalTopic(runId), tokensTopic, threadsTopic],
        look,
        enough: (seen) => seen?.status !== "awaiting_approval",
        milliseconds,
      });
      if (!found) throw new ApiError("not_found");
      if (found.expiresAt !== null && expiryOf(found, momentOf(deps)) === "unknown") throw doubtfulTime();
      if (!needsSettling(found, deps.clock.now())) return found.answer;
      const settled = await settle(deps, runId);
      const run = settled === "as it was" ? found : knownRun(settings, settled);
      // The token may have been revoked while this was stored.
      if (!run || !mayRead(await request.callerNow(), run)) throw new ApiError("not_found");
      return run.answer;
    },
  };
};

/** The limit of cached proposals: each may hold a plan of 80 kB. */
const mostRuns = 1_000;

/** What is kept in memory of a proposal: what decides who reads it and how, and the answer. */
function knownRun(settings: Deps["settings"], run: OwnedProposal | undefined) {
  if (!run) return undefined;
  const { owners, appId, status, decision, decidedAt, expiresAt, firstReadAt } = run;
  const answer = prepareAnswer(JSON.stringify(proposalAnswer(settings, run)));
  return { owners, appId, status, decision, decidedAt, expiresAt, firstReadAt, answer };
}

const mayRead = ({ userId, appId }: AgentCaller, run: Pick<OwnedProposal, "owners" | "appId">): boolean =>
  run.owners.split(" ").includes(userId) && (appId === null || run.appId === appId);

type Posting = Pick<Deps, "clock" | "newId" | "settings">;
type Draft = Omit<NewProposalRow, "createdAt"> & Pick<NewProposal, "expectedRunId">;

/**
 * Writes a proposal in place of the one that waits, a note on the thread, and a message to the chat. Gives the thread's
 * app and the ids of the replaced proposals. Throws `run_superseded` if the newest proposal is not the one that the agent expects.
 */
async function propose(
  deps: Posting,
  tx: Transaction,
  { caller, draft }: { readonly caller: AgentCaller; readonly draft: Draft },
): Promise<{ readonly appId: string; readonly replaced: readonly string[] }> {
  await tx.lock(draft.feedbackId);
  const thread = await feedbackThreads.findApp(tx, draft.feedbackId, caller);
  if (!thread) throw new ApiError("not_found");

  const now = deps.clock.now();
  const newest = await proposals.newest(tx, draft.feedbackId);
  const { expectedRunId, ...wanted } = draft;
  if (expectedRunId !== undefined && expectedRunId !== (newest?.id ?? null))
    throw new ApiError("run_superseded", { runId: newest?.id ?? null });
  const run = { ...wanted, createdAt: later(now, newest?.at ?? null).toISOString() };
  const newer = { id: run.id, note: `Replaced by run ${run.id}.`, at: run.createdAt };
  const replaced = (await proposals.replace(tx, run.feedbackId, newer)).map(({ id }) => id);
  await proposals.insert(tx, run);
  const note = {
    id: deps.newId(),
    feedbackId: run.feedbackId,
    direction: "note",
    author: "agent",
    body: proposalNote(run),
  } as const;
  await messages.insert(tx, { ...note, createdAt: run.createdAt });

  const url = thread.chatWebhookUrl;
  if (url) await announce(deps, tx, { run, thread: { ...thread, url } });
  return { appId: thread.appId, replaced };
}

interface Announced {
  readonly appId: string;
  readonly appName: string;
  readonly subject: string;
  readonly url: string;
}

async function announce(
  deps: Posting,
  tx: Transaction,
  { run, thread }: { readonly run: NewProposalRow; readonly thread: Announced },
): Promise<void> {
  const link = `${threadUrl(deps.settings, thread.appId, run.feedbackId)}#proposal`;
  await outbox.insert(tx, {
    id: deps.newId(),
    appId: thread.appId,
    kind: "chat",
    subjectId: run.id,
    target: thread.url,
    payload: JSON.stringify({ text: chatText({ ...thread, summary: run.summary, link }) }),
    createdAt: deps.clock.now().toISOString(),
  });
  tx.signal(outboxTopic);
}
