import { agent as contract, type NewProposal } from "../../../src/contract/agent.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import { doubtfulTime } from "../../clock.ts";
import type { Transaction } from "../../database/database.ts";
import {
  accessTopic,
  proposalTopic,
  threadsTopic,
  threadTopic,
  tokensTopic,
  topicsOfAllThreads,
} from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { bytesOfBody, type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import { type AgentCaller, type Handlers, withTraits } from "../../http/handler.ts";
import { hold } from "../../http/held-request.ts";
import { cachedLookup } from "../../http/memory.ts";
import { withoutSenderLinks } from "../../mail/sender-page/links.ts";
import { postToApp } from "../chat/post.ts";
import { proposalMessage } from "../chat/rules.ts";
import { messages } from "../messages/store.ts";
import { proposalAnswer } from "../proposals/answer.ts";
import { expiryOf, later, proposalNote, type RunState } from "../proposals/rules.ts";
import { createStepRecorder, momentOf, needsSettling, settle } from "../proposals/steps.ts";
import { type NewProposalRow, type ProposalRow, proposals } from "../proposals/store.ts";
import { type StoredProposal, storedProposals, threadAnswer, threadUrl } from "../threads/answer.ts";
import { lockedThread } from "../threads/owned.ts";
import { feedbackThreads } from "../threads/store/threads.ts";
import { runWork } from "./claim.ts";
import { findWork } from "./find.ts";

type AgentDeps = Pick<
  Deps,
  | "clock"
  | "database"
  | "log"
  | "memory"
  | "newId"
  | "sealer"
  | "settings"
  | "stopping"
  | "threadWatch"
  | "time"
  | "waiting"
  | "waitingAgents"
>;

export const agent = (deps: AgentDeps): Handlers<typeof contract> => {
  const { settings } = deps;
  const record = createStepRecorder(deps);
  const findRun = createFindRun(deps);
  return {
    ...findWork(deps),
    ...runWork(deps),

    readThread: withTraits({ ready: true }, createReadThread(deps)),

    propose: ({ caller, address, params, body, save }) =>
      save(async (tx) => {
        const id = deps.newId();
        const [summary, plan] = [withoutSenderLinks(body.summary), withoutSenderLinks(body.plan)];
        const draft = { id, feedbackId: params.id, ...body, summary, plan };
        const { feedbackId, appId, replaced } = await propose(deps, tx, { caller, draft });
        const author = { caller, address };
        for (const older of replaced) {
          const facts = { decision: "replaced", replacedBy: id };
          const run = { id: older, appId, feedbackId, author };
          await record(tx, run, { action: "run.replace", event: "run.decided", facts });
        }
        const run = { id, appId, feedbackId, author };
        await record(tx, run, { action: "run.propose", event: "run.proposed" });
        const answer = {
          runId: id,
          status: "awaiting_approval",
          pollUrl: `/api/v1/agent/runs/${id}`,
        } as const;
        return feedbackId === params.id.toLowerCase() ? answer : { ...answer, mergedInto: feedbackId };
      }),

    readRun: withTraits({ ready: true }, async (request) => {
      const { runId } = request.params;
      const milliseconds = (request.query.wait ?? 0) * 1_000;
      const look = async () => {
        const found = await findRun(runId);
        // The caller is checked after the proposal was read, because a credential that was revoked while the request
        // waited must not get the answer. (rule A10)
        const caller = milliseconds === 0 ? request.caller : await request.callerNow();
        return found && mayRead(caller, found) ? found : undefined;
      };
      const found = await hold(deps, request, {
        topics: [proposalTopic(runId), tokensTopic, threadsTopic],
        look,
        enough: (seen) => seen?.status !== "awaiting_approval",
        milliseconds,
        attend: (isResting) => deps.waitingAgents.add(runId, { tokenId: request.caller.id, isResting }),
      });
      if (!found) throw new ApiError("not_found");
      if (found.expiresAt !== null && expiryOf(found, momentOf(deps)) === "unknown") throw doubtfulTime();
      if (!needsSettling(found, deps.clock.now())) {
        const isKept = () => findRun.peek(runId) === found;
        // If a request has waited and there is still no decision, its answer is not cached, because the next such
        // request must wait, too.
        const hasWaited = milliseconds > 0 && found.status === "awaiting_approval";
        return hasWaited ? found.answer : lastingAnswer({ ...found, run: found, isKept }, deps);
      }
      const settled = await settle(deps, runId);
      const run = settled === "as it was" ? found : knownRun(settings, settled);
      // The token may have been revoked while `settle` wrote to the database.
      if (!run || !mayRead(await request.callerNow(), run)) throw new ApiError("not_found");
      return run.answer;
    }),
  };
};

function createReadThread(deps: AgentDeps): Handlers<typeof contract>["readThread"] {
  const findThread = createFindThread(deps);
  return async ({ caller, params }) => {
    let thread = await findThread(params.id, caller);
    const approval = thread?.proposal;
    if (approval && expiryOf(approval, momentOf(deps)) === "unknown") throw doubtfulTime();
    if (approval && needsSettling(approval, deps.clock.now())) {
      await settle(deps, approval.id);
      thread = await findThread(params.id, caller);
    }
    if (!thread) throw new ApiError("not_found");
    const { answer, proposal: run } = thread;
    // Another proposal was approved in the meantime. `settle` must run for that proposal, and the next request does
    // that. So this answer is not cached.
    if (run && needsSettling(run, deps.clock.now())) return answer;
    return lastingAnswer({ answer, run, isKept: findThread.isKept(thread, caller) }, deps);
  };
}

type ProposeDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

type Draft = Omit<NewProposalRow, "createdAt"> & Pick<NewProposal, "expectedRunId">;

/**
 * Stores a new proposal, an internal note on the thread, and a message to the chat channel. The new proposal replaces a
 * proposal that awaits approval. Returns the thread, its app, and the ids of the replaced proposals. If the thread of
 * the request was merged, it returns the thread into which it was merged. Throws `run_superseded` if the newest
 * proposal is not the one that the agent expects. (rules A3, A5, A7)
 */
async function propose(
  deps: ProposeDeps,
  tx: Transaction,
  { caller, draft }: { readonly caller: AgentCaller; readonly draft: Draft },
): Promise<{ readonly feedbackId: string; readonly appId: string; readonly replaced: readonly string[] }> {
  const { id: feedbackId } = await lockedThread(tx, draft.feedbackId, caller);
  const thread = await feedbackThreads.findApp(tx, feedbackId, caller);
  if (!thread) throw new ApiError("not_found");

  const now = deps.clock.now();
  const newest = await proposals.newest(tx, feedbackId);
  const { expectedRunId, ...wanted } = { ...draft, feedbackId };
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

  await announce(deps, tx, { run, thread });
  return { feedbackId, appId: thread.appId, replaced };
}

interface AnnouncedThread {
  readonly appId: string;
  readonly appName: string;
  readonly subject: string;
  readonly chatWebhookUrl: string | null;
  readonly chatFormat: string;
}

async function announce(
  deps: ProposeDeps,
  tx: Transaction,
  { run, thread }: { readonly run: NewProposalRow; readonly thread: AnnouncedThread },
): Promise<void> {
  const { appId, appName: name, subject } = thread;
  const link = `${threadUrl(deps.settings, appId, run.feedbackId)}#proposal`;
  const message = proposalMessage({ app: { id: appId, name }, subject, summary: run.summary, link });
  await postToApp(deps, tx, { chat: thread, message, subjectId: run.id });
}

const bytesOfProposal = (proposal: StoredProposal | undefined): number =>
  proposal ? bytesOfBody(JSON.stringify(proposal)) : 0;

/** A cached thread, for an agent that may read it. */
interface KnownThread {
  /** The id of the request. */
  readonly id: string;
  /** The id of the thread in the answer. It differs from `id` if the thread of the request was merged. */
  readonly shownId: string;
  readonly appId: string;
  /** The newest proposal of the thread, as it is stored in the database. */
  readonly proposal: StoredProposal | undefined;
  readonly answer: PreparedAnswer;
}

/** The estimated memory for a cached thread, in bytes. Its answer and its proposal are not included. */
const threadOverhead = 2_000;

/**
 * Creates the function that finds a thread for an agent. It returns undefined if the agent may not read the thread.
 * Each viewer has separate cached answers. They are deleted when the access of the viewer changes.
 */
export function createFindThread({
  clock,
  database,
  memory,
  settings,
}: Pick<Deps, "clock" | "database" | "memory" | "settings">) {
  const findRow = feedbackThreads.createFindThreadForAgent(database);

  async function load(name: string): Promise<KnownThread | undefined> {
    const { id, ...viewer } = viewedThreadOf(name);
    const row = await findRow({ id, viewer });
    if (!row) return undefined;
    const shown = contract.readThread.success.body.parse(threadAnswer(settings, row, clock.now(), id));
    const { id: shownId, appId } = row;
    return {
      id,
      shownId,
      appId,
      proposal: storedProposals(row).at(-1),
      answer: prepareAnswer(JSON.stringify(shown)),
    };
  }

  const find = cachedLookup({
    ...{ memory, load },
    dropAll: topicsOfAllThreads,
    topicsOf: ({ id, shownId, appId, proposal }) => [
      ...[threadTopic(id), threadTopic(shownId), accessTopic(appId)],
      ...(proposal ? [proposalTopic(proposal.id)] : []),
    ],
    // Both the answer and the object with the proposal are in memory.
    bytesOf: ({ answer, proposal }) => threadOverhead + bytesOfBody(answer.body) + bytesOfProposal(proposal),
  });
  /** Returns a function that checks whether the cache still has this thread unchanged. */
  const isKept = (thread: KnownThread, caller: AgentCaller) => {
    const name = nameOf(thread.id, caller);
    return () => find.peek(name) === thread;
  };
  return Object.assign(async (id: string, caller: AgentCaller) => find(nameOf(id, caller)), { isKept });
}

interface ViewedThread extends Viewer {
  readonly id: string;
}

function nameOf(id: string, { kind, userId, appId, needs }: AgentCaller): string {
  const viewed: ViewedThread = { id, kind, userId, appId, needs };
  return JSON.stringify(viewed);
}

const viewedThreadOf = (name: string): ViewedThread => JSON.parse(name);

/** Creates the function that finds a proposal for any caller. The proposal is cached until it changes. */
const createFindRun = ({
  database,
  memory,
  settings,
  waitingAgents,
}: Pick<Deps, "database" | "memory" | "settings" | "waitingAgents">) =>
  cachedLookup({
    memory,
    load: async (id) => knownRun(settings, await proposals.findOwned(database, id)),
    dropAll: topicsOfAllThreads,
    topicsOf: ({ id, appId }) => [proposalTopic(id), accessTopic(appId)],
    storedWith: (topic) => {
      const run = knownRun(settings, waitingAgents.handedOver(topic));
      return run && [run.id, run];
    },
    bytesOf: ({ answer, owners }) => proposalOverhead + bytesOfBody(answer.body) + bytesOfBody(owners),
  });

/** The estimated memory for a cached proposal, in bytes. Its answer is not included. */
const proposalOverhead = 1_000;

/**
 * Returns a proposal in the form for the cache: its answer, and the data that decides who may read it and whether
 * `settle` must run for it.
 */
function knownRun(settings: Deps["settings"], run: ProposalRow | undefined) {
  if (!run) return undefined;
  const { id, owners, appId, status, decision, decidedAt, expiresAt, firstReadAt } = run;
  const answer = prepareAnswer(JSON.stringify(proposalAnswer(settings, run)));
  return { id, owners, appId, status, decision, decidedAt, expiresAt, firstReadAt, answer };
}

const mayRead = ({ userId, appId }: AgentCaller, run: Pick<ProposalRow, "owners" | "appId">): boolean =>
  run.owners.split(" ").includes(userId) && (appId === null || run.appId === appId);

/**
 * Returns an answer together with the time until which it is valid. The time is limited because an approval may expire.
 */
function lastingAnswer(
  {
    answer,
    run,
    isKept,
  }: {
    readonly answer: PreparedAnswer;
    /** The proposal in the answer, if the answer has one. */
    readonly run: Pick<RunState, "status" | "expiresAt"> | undefined;
    /** Whether the cache still has this answer unchanged. */
    readonly isKept: () => boolean;
  },
  { time }: Pick<Deps, "time">,
): PreparedAnswer {
  const from = Number.NEGATIVE_INFINITY;
  if (run?.status !== "approved" || run.expiresAt === null)
    return { ...answer, lasts: { from, until: Number.POSITIVE_INFINITY, isCurrent: isKept } };
  const isCurrent = () => isKept() && !time.isDoubtful();
  return { ...answer, lasts: { from, until: Date.parse(run.expiresAt), isCurrent } };
}
