import type { agent as contract, NewProposal } from "../../../src/contract/agent.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Deps } from "../../deps.ts";
import { chatText, later, proposalNote } from "../../domain/feedback/proposal.ts";
import { prepareAnswer } from "../../http/answers.ts";
import type { AgentCaller, Handlers } from "../../http/handler.ts";
import { cachedLookupUpTo } from "../../http/lookup-cache.ts";
import { audit } from "../../store/access/audit.ts";
import type { Transaction } from "../../store/engine/database.ts";
import {
  concernsProposals,
  outboxTopic,
  proposalTopic,
  threadsTopic,
  tokensTopic,
} from "../../store/engine/topics.ts";
import { feedbackThreads } from "../../store/feedback/feedback.ts";
import { messages } from "../../store/feedback/messages.ts";
import { outbox } from "../../store/feedback/outbox.ts";
import { type NewProposalRow, type OwnedProposal, proposals } from "../../store/feedback/proposals.ts";
import { threadAnswer, threadUrl } from "./feedback-answer.ts";
import { proposalAnswer } from "./proposal-answer.ts";

export const agent = (
  deps: Pick<Deps, "clock" | "database" | "newId" | "settings" | "waiting">,
): Handlers<typeof contract> => {
  const { database, settings } = deps;
  const load = async (id: string) => {
    const run = await proposals.findOwned(database, id);
    return (
      run && { ...ownershipOf(run), answer: prepareAnswer(JSON.stringify(proposalAnswer(settings, run))) }
    );
  };
  const findRun = cachedLookupUpTo(mostRuns, { database, concerns: concernsProposals, load });
  return {
    async readThread({ caller, params }) {
      const thread = await feedbackThreads.findThread(deps.database, params.id, caller);
      if (!thread) throw new ApiError("not_found");
      return threadAnswer(deps.settings, thread);
    },

    propose: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const id = deps.newId();
        const draft = { id, feedbackId: params.id, ...body };
        const appId = await propose(deps, tx, { caller, draft });
        await audit.insert(tx, {
          id: deps.newId(),
          at: deps.clock.now().toISOString(),
          ownerId: caller.userId,
          actor: `agent, token ${caller.id}`,
          action: "run.propose",
          appId,
          target: id,
          address,
        });
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
      const found = await deps.waiting.until([proposalTopic(runId), tokensTopic, threadsTopic], look, {
        enough: (seen) => seen?.status !== "awaiting_approval",
        milliseconds,
        signal: request.signal,
      });
      if (!found) throw new ApiError("not_found");
      return found.answer;
    },
  };
};

/** The limit of cached proposals: each may hold a plan of 80 kB. */
const mostRuns = 1_000;

const ownershipOf = ({ status, ownerId, appId }: OwnedProposal) => ({ status, ownerId, appId });

const mayRead = ({ userId, appId }: AgentCaller, run: Pick<OwnedProposal, "ownerId" | "appId">): boolean =>
  run.ownerId === userId && (appId === null || run.appId === appId);

type Posting = Pick<Deps, "clock" | "newId" | "settings">;
type Draft = Omit<NewProposalRow, "createdAt"> & Pick<NewProposal, "expectedRunId">;

/**
 * Writes a proposal in place of the one that waits, a note on the thread, and a message to the chat. Gives the thread's
 * app. Throws `run_superseded` if the newest proposal is not the one that the agent expects.
 */
async function propose(
  deps: Posting,
  tx: Transaction,
  { caller, draft }: { readonly caller: AgentCaller; readonly draft: Draft },
): Promise<string> {
  await tx.lock(draft.feedbackId);
  const thread = await feedbackThreads.findApp(tx, draft.feedbackId, caller);
  if (!thread) throw new ApiError("not_found");

  const now = deps.clock.now();
  const newest = await proposals.newest(tx, draft.feedbackId);
  const { expectedRunId, ...wanted } = draft;
  if (expectedRunId !== undefined && expectedRunId !== (newest?.id ?? null))
    throw new ApiError("run_superseded", { runId: newest?.id ?? null });
  const run = { ...wanted, createdAt: later(now, newest?.at ?? null).toISOString() };
  const replaced = { id: run.id, note: `Replaced by run ${run.id}.`, at: run.createdAt };
  for (const older of await proposals.replace(tx, run.feedbackId, replaced))
    tx.signal(proposalTopic(older.id));
  await proposals.insert(tx, run);
  await feedbackThreads.setProposalStatus(tx, run.feedbackId, "awaiting_approval");
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
  return thread.appId;
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
