import { agent as contract, type NewProposal } from "../../../src/contract/agent.ts";
import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import type {
  FeedbackFilters,
  FoundRun,
  FoundThread,
  findWork as findContract,
} from "../../../src/contract/find-work.ts";
import { limits } from "../../../src/contract/limits.ts";
import { withoutSenderLinks } from "../../../src/contract/report-texts.ts";
import type { runWork as workContract } from "../../../src/contract/runs.ts";
import { ownedApp } from "../../access/apps/store.ts";
import type { Viewer } from "../../access/members/visibility.ts";
import { doubtfulTime } from "../../clock.ts";
import type { Transaction } from "../../database/database.ts";
import {
  accessTopic,
  decidedTopics,
  proposalTopic,
  threadsTopic,
  threadTopic,
  tokensTopic,
  topicsOfAllThreads,
} from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { bytesOfBody, type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import {
  type AgentCaller,
  type Handlers,
  idPart,
  instantPart,
  pageOf,
  type Request,
  readCursor,
  searchedPage,
  withTraits,
} from "../../http/handler.ts";
import { hold } from "../../http/held-request.ts";
import { cachedLookup } from "../../http/memory.ts";
import { postToApp } from "../chat/post.ts";
import { proposalMessage } from "../chat/rules.ts";
import type { StoredChat } from "../chat/store.ts";
import { threadCursors } from "../inbox/lists.ts";
import { messages } from "../messages/store.ts";
import { proposalAnswer } from "../proposals/answer.ts";
import { storeDueChanges } from "../proposals/due.ts";
import { expiryOf, later, type Moment, proposalNote, type RunState, stateAt } from "../proposals/rules.ts";
import {
  createStepRecorder,
  lockedRun,
  momentOf,
  needsSettling,
  type RunStep,
  settle,
  visibleRun,
} from "../proposals/steps.ts";
import { type NewProposalRow, type ProposalRow, proposals } from "../proposals/store.ts";
import { indexForSearch } from "../search/store/indexing.ts";
import { tagNamesIn } from "../tags/rules.ts";
import {
  type AskedThread,
  type StoredProposal,
  storedProposals,
  threadAnswer,
  threadUrl,
} from "../threads/answer.ts";
import { lockedThread, withOlder } from "../threads/read.ts";
import { feedbackThreads } from "../threads/store/threads.ts";
import { finishClaim, releaseClaim } from "./end-claim.ts";
import {
  type ClaimVerdict,
  claimVerdict,
  endOfClaim,
  type HeldClaim,
  mayResume,
  outcomeNote,
} from "./rules.ts";
import { notAMark, threadChanges } from "./store/changes.ts";
import {
  type ClaimRow,
  type FoundRow,
  type FoundRunRow,
  findChanged,
  findRuns,
  findThreads,
  orderOf,
  runClaims,
  type Search,
  type Worker,
} from "./store/work.ts";

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
        // Checks the caller after the read, because the credential may be revoked while the request waits.
        // (rule A10)
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
        // This answer is not cached. A cached answer returns at once, but the next request must wait for the
        // decision.
        const hasWaited = milliseconds > 0 && found.status === "awaiting_approval";
        return hasWaited ? found.answer : lastingAnswer({ ...found, run: found, isKept }, deps);
      }
      const settled = await settle(deps, runId);
      const run = settled === "as it was" ? found : knownRun(settings, settled);
      // The token may have been revoked while `settle` ran, so the access of the caller is checked again.
      if (!run || !mayRead(await request.callerNow(), run)) throw new ApiError("not_found");
      return run.answer;
    }),
  };
};

function createReadThread(deps: AgentDeps): Handlers<typeof contract>["readThread"] {
  const findThread = createFindThread(deps);
  return async ({ caller, params, query: { before } }) => {
    let thread = await findThread(params.id, caller);
    const approval = thread?.proposal;
    if (approval && expiryOf(approval, momentOf(deps)) === "unknown") throw doubtfulTime();
    if (approval && needsSettling(approval, deps.clock.now())) {
      await settle(deps, approval.id);
      thread = await findThread(params.id, caller);
    }
    if (!thread) throw new ApiError("not_found");
    if (before !== undefined) return readOlder(deps, { id: params.id, before, viewer: caller });
    const { answer, proposal: run } = thread;
    // Another proposal was approved during `settle`. The answer is not cached, so the next request settles that
    // proposal.
    if (run && needsSettling(run, deps.clock.now())) return answer;
    return lastingAnswer({ answer, run, isKept: findThread.isKept(thread, caller) }, deps);
  };
}

/**
 * Returns a thread with messages older than the message `before`. The answer is not cached, because few
 * agents need it.
 */
async function readOlder(
  { clock, database, settings }: AgentDeps,
  { viewer, ...asked }: Required<AskedThread> & { readonly viewer: Viewer },
) {
  const find = () => feedbackThreads.findOlderForAgent(database, asked, viewer);
  const row = await withOlder(database, { ...asked, viewer }, find);
  return threadAnswer(settings, row, clock.now(), asked);
}

type ProposeDeps = Pick<Deps, "clock" | "newId" | "sealer" | "settings">;

type Draft = Omit<NewProposalRow, "createdAt"> & Pick<NewProposal, "expectedRunId">;

/**
 * Stores a proposal, a note and a chat message. Replaces open proposals. Throws `run_superseded` if
 * `expectedRunId` is not the newest. (rules A3, A5, A7)
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

interface AnnouncedThread extends StoredChat {
  readonly appId: string;
  readonly appName: string;
  readonly subject: string;
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

/** A cached thread. The cache has a separate entry for each viewer. */
interface KnownThread {
  /** The id in the request. */
  readonly id: string;
  /** The id of the thread in the answer, which differs from `id` for a merged thread. */
  readonly shownId: string;
  readonly appId: string;
  /** The newest proposal of the thread. */
  readonly proposal: StoredProposal | undefined;
  readonly answer: PreparedAnswer;
}

/** The estimated memory of a cached thread in bytes, without its answer and its proposal. */
const threadOverhead = 2_000;

/** Returns a function that finds a thread that the agent may read. Each viewer has its own cached answers. */
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
    const shown = contract.readThread.success.body.parse(threadAnswer(settings, row, clock.now(), { id }));
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
    // The cache keeps both the answer and the object with the proposal in memory.
    bytesOf: ({ answer, proposal }) => threadOverhead + bytesOfBody(answer.body) + bytesOfProposal(proposal),
  });
  /** Returns a function that checks whether this thread is still in the cache and unchanged. */
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

/** Returns a function that finds and caches a proposal. The function does not check the caller's access. */
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
    stored: { topic: decidedTopics, find: (id) => knownRun(settings, waitingAgents.handedOver(id)) },
    bytesOf: ({ answer, owners }) => proposalOverhead + bytesOfBody(answer.body) + bytesOfBody(owners),
  });

/** The estimated memory of a cached proposal in bytes, without its answer. */
const proposalOverhead = 1_000;

/** Returns the cached object: the answer, and the data for the access check and for `settle`. */
function knownRun(settings: Deps["settings"], run: ProposalRow | undefined) {
  if (!run) return undefined;
  const { id, owners, appId, status, decision, decidedAt, expiresAt, firstReadAt } = run;
  const answer = prepareAnswer(JSON.stringify(proposalAnswer(settings, run)));
  return { id, owners, appId, status, decision, decidedAt, expiresAt, firstReadAt, answer };
}

const mayRead = ({ userId, appId }: AgentCaller, run: Pick<ProposalRow, "owners" | "appId">): boolean =>
  run.owners.split(" ").includes(userId) && (appId === null || run.appId === appId);

/**
 * Adds to `answer` how long the answer is valid. With an approved proposal, the answer is valid until
 * `run.expiresAt`.
 */
function lastingAnswer(
  {
    answer,
    run,
    isKept,
  }: {
    readonly answer: PreparedAnswer;
    /** The proposal in the answer; undefined for a thread without a proposal. */
    readonly run: Pick<RunState, "status" | "expiresAt"> | undefined;
    /** Whether this answer is still in the cache and unchanged. */
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

type ClaimDeps = Pick<Deps, "clock" | "newId" | "settings" | "time">;

/** The handlers with which a worker claims an approved proposal, reports progress, and reports the outcome. */
function runWork(deps: ClaimDeps): Handlers<typeof workContract> {
  const record = createStepRecorder(deps);
  return {
    claimRun: (request) => request.save((tx) => claim(deps, tx, request)),

    reportProgress: ({ caller, address, params: { runId }, body, save }) =>
      save(async (tx) => {
        const { run, claim } = await claimedRun(deps, tx, { runId, claimId: body.claimId, caller });
        // A claim has a maximum number of progress reports. (rule A24)
        if (claim.progressCount >= limits.progressReports)
          throw new ApiError("wrong_state", {
            message: `This claim already has ${limits.progressReports} progress reports, which is the maximum. Report the outcome.`,
          });
        const createdAt = deps.clock.now().toISOString();
        const text = withoutSenderLinks(body.text);
        await runClaims.addProgress(tx, { id: deps.newId(), claimId: claim.id, text, createdAt });
        await record(tx, { ...run, author: { caller, address } }, { action: "run.progress" });
        return { text, reportedAt: createdAt, count: claim.progressCount + 1 };
      }),

    reportOutcome: ({ caller, address, params: { runId }, body, save }) =>
      save(async (tx) => {
        const { run, claim } = await claimedRun(deps, tx, { runId, claimId: body.claimId, caller });
        const { status, links = [] } = body;
        const summary = withoutSenderLinks(body.summary);
        const at = deps.clock.now().toISOString();
        await finishClaim(tx, claim.id, { status, summary, links, at });
        await messages.insert(tx, {
          id: deps.newId(),
          feedbackId: run.feedbackId,
          direction: "note",
          author: "agent",
          body: outcomeNote({ status, summary, links }),
          createdAt: at,
        });
        const step = { action: "run.outcome", event: "run.finished", facts: { outcome: status } } as const;
        await record(tx, { ...run, author: { caller, address } }, step);
        return proposalAnswer(deps.settings, await visibleRun(tx, runId, caller));
      }),
  };
}

async function claim(
  deps: ClaimDeps,
  tx: Transaction,
  {
    caller,
    address,
    params: { runId },
    body: { worker, claimId, resume = false },
  }: Request<typeof contract.claimRun>,
) {
  const run = await lockedRun(tx, runId, caller);
  if (claimId !== undefined) {
    const named = await namedClaim(deps, tx, { runId, claimId, caller });
    return claimAnswer(deps, run, named);
  }
  const maker = { runId, userId: caller.userId, tokenId: caller.id, worker };
  const moment = momentOf(deps);
  const found = await runClaims.held(tx, runId, moment.now.toISOString());
  const held = found && heldFor(maker, found, moment);
  const newerApproval = (await proposals.newerApproval(tx, run))?.id;
  const verdict = claimVerdict({ run, held, resume, newerApproval }, moment);
  if (found && verdict === "same") return claimAnswer(deps, run, found);
  if (verdict !== "new" && verdict !== "resumed") throw claimRefusal(verdict, newerApproval, held);

  const made = {
    ...maker,
    id: deps.newId(),
    claimedAt: later(moment.now, run.claimedAt).toISOString(),
  };
  if (found) await releaseClaim(tx, found.id, { at: made.claimedAt, by: null, resumedAs: made.id });
  await runClaims.insert(tx, made);
  await proposals.setExpiry(tx, runId, null);
  await proposals.markRead(tx, runId, moment.now.toISOString());
  const record = createStepRecorder(deps);
  const step: RunStep = found ? { action: "run.resume" } : { action: "run.claim", event: "run.claimed" };
  await record(tx, { ...run, author: { caller, address } }, step);
  return claimAnswer(deps, await visibleRun(tx, runId, caller), made);
}

const heldFor = (maker: Worker, held: ClaimRow, moment: Moment): HeldClaim => {
  const ofToken = held.tokenId === maker.tokenId;
  const use = {
    ofAccount: ofToken || held.userId === maker.userId,
    ofToken,
    tokenEnded: held.tokenWorks === 0,
    heardAt: held.progressAt ?? held.claimedAt,
  };
  return {
    own: ofToken && held.worker === maker.worker,
    finished: held.outcomeStatus !== null,
    mayResume: mayResume(use, moment),
  };
};

function claimRefusal(
  verdict: Exclude<ClaimVerdict, "new" | "resumed">,
  newerApproval: string | undefined,
  held: HeldClaim | undefined,
): ApiError {
  if (verdict === "time_in_doubt") return doubtfulTime();
  if (verdict === "run_superseded")
    return new ApiError(verdict, { runId: newerApproval ?? null, message: newerApprovalMessage });
  if (verdict === "run_claimed" && held?.mayResume && !held.finished)
    return new ApiError(verdict, { mayResume: true, message: resumeMessage });
  if (verdict === "run_claimed") return new ApiError(verdict);
  return new ApiError("wrong_state", { message: notApprovedMessage });
}

const resumeMessage =
  "A worker of your account has already claimed this proposal. If you made this claim and lost the answer, or if that worker has stopped, claim the proposal again with `resume: true`. Otherwise leave the proposal to that worker.";

const newerApprovalMessage =
  "A newer proposal of this thread was approved. Its id is in `runId`. Do not carry out this proposal.";

const notApprovedMessage =
  "Only an approved proposal can be claimed. This proposal is not approved now. Read it again, or wait for the decision.";

/** Returns the answer to a claim. No other answer contains the id of the claim. (rule A19) */
const claimAnswer = (
  { settings }: Pick<Deps, "settings">,
  run: ProposalRow,
  { id, worker, claimedAt }: Pick<ClaimRow, "id" | "worker" | "claimedAt">,
) => ({ claimId: id, worker, claimedAt, run: proposalAnswer(settings, run) });

interface NamedClaim {
  readonly runId: string;
  readonly claimId: string;
  readonly caller: AgentCaller;
}

/**
 * Locks the thread of a proposal. Returns the proposal and the claim. Throws `wrong_state` if the claim has
 * an outcome. (rule A24)
 */
async function claimedRun(deps: Pick<Deps, "clock">, tx: Transaction, named: NamedClaim) {
  const run = await lockedRun(tx, named.runId, named.caller);
  const claim = await namedClaim(deps, tx, named);
  if (claim.outcomeStatus !== null)
    throw new ApiError("wrong_state", { message: "The outcome of this claim is already reported." });
  return { run, claim };
}

/**
 * Throws `not_found` if the account has no such claim. Throws `claim_released` or `claim_resumed` if the claim ended.
 * (rule A24)
 */
async function namedClaim(
  { clock }: Pick<Deps, "clock">,
  tx: Transaction,
  { runId, claimId, caller }: NamedClaim,
): Promise<ClaimRow> {
  const whose = { userId: caller.userId, tokenId: caller.id };
  const claim = await runClaims.find(tx, { id: claimId, runId, ...whose }, clock.now().toISOString());
  if (!claim)
    throw new ApiError("not_found", {
      message: "Your account has no such claim on this proposal. Claim the proposal first.",
    });
  const end = endOfClaim(claim);
  if (end) throw new ApiError(end);
  return claim;
}

type FindDeps = Pick<
  Deps,
  "clock" | "database" | "log" | "newId" | "settings" | "stopping" | "threadWatch" | "time" | "waiting"
>;

/** The handlers with which an agent finds threads and proposals. */
function findWork(deps: FindDeps): Handlers<typeof findContract> {
  return {
    async listFeedback(request) {
      const { changedAfter, cursor, q, wait = 0 } = request.query;
      if (changedAfter === undefined && wait > 0) throw badRequest("wait", "needs `changedAfter`");
      if (changedAfter === undefined) return list(deps, request);
      if (q !== undefined) throw badRequest("q", "cannot be combined with `changedAfter`");
      if (cursor !== undefined) throw badRequest("cursor", "cannot be combined with `changedAfter`");
      return listChanged(deps, request, changedAfter, wait * 1_000);
    },

    async listRuns({ caller: viewer, query: { status, cursor, limit = limits.agentPage.default } }) {
      const position = readCursor(cursor, [instantPart, idPart]);
      // The filter and the answer must agree. So an approval that expires after `moment` is listed as approved.
      const moment = momentOf(deps);
      await storeDueChanges(deps);
      const rows = await findRuns(deps.database, { viewer, status }, { position, limit: limit + 1 });
      const { items, nextCursor } = pageOf(rows, limit, ({ createdAt, id }) => [createdAt, id]);
      if (items.some((row) => expiryOf(row, moment) === "unknown")) throw doubtfulTime();
      return { items: items.map((row) => runAnswer(deps.settings, row, moment.now)), nextCursor };
    },
  };
}

type ListRequest = Request<typeof findContract.listFeedback>;

/**
 * Returns a page of threads. The first page contains `changes`, with which a client gets later changes.
 * (rule A30)
 */
async function list(deps: FindDeps, { caller, query }: ListRequest) {
  const { database, settings } = deps;
  const { cursor, limit = limits.agentPage.default } = query;
  const search = await searchOf({ database }, caller, query);
  const order = orderOf(search.filters);
  const sortKey = threadCursors[order];
  const position = readCursor(cursor, sortKey.parts);
  await storeDueChanges(deps);
  if (order === "found") await indexForSearch(deps);
  // An empty list has no row with the column `mark`. So the current mark is also read before the list.
  const before = cursor === undefined ? await threadChanges.present(database) : null;
  const { rows, reached } = await findThreads(database, search, { position, limit: limit + 1 });
  const { items, nextCursor } = searchedPage(rows, limit, { keyOf: sortKey.of, reached });
  const changes = before && encoded(threadChanges.seenBy(before, rows.at(0)?.mark));
  return { items: items.map((row) => threadItem(settings, row)), nextCursor, changes };
}

/**
 * Returns the threads that changed since `changedAfter`. Waits up to `milliseconds`. Throws `bad_request` if
 * `changedAfter` comes from another database. (rules A30, A31)
 */
async function listChanged(deps: FindDeps, request: ListRequest, changedAfter: string, milliseconds: number) {
  const { database, settings } = deps;
  const { caller, callerNow, query } = request;
  const { limit = limits.agentPage.default } = query;
  const search = await searchOf({ database }, caller, query);
  let mark = Buffer.from(changedAfter, "base64url").toString();
  const look = async () => {
    await storeDueChanges(deps);
    const after = await threadChanges.after(database, mark);
    if (after === notAMark)
      throw badRequest(
        "changedAfter",
        "is not a mark of this database; read the list again and use the `changes` of the new answer",
      );
    const { conditions, next } = after;
    const rows = await findChanged(database, search, { conditions, limit: limit + 1 });
    mark = next(rows.length > limit ? rows.at(limit - 1) : undefined);
    // Checks the caller after the read, because the credential may be revoked while the request waits.
    if (milliseconds > 0) await callerNow();
    return rows.slice(0, limit);
  };
  const rows = await hold(deps, request, {
    topics: [tokensTopic],
    look,
    enough: (seen) => seen.length > 0,
    milliseconds,
    listen: deps.threadWatch.listen,
  });
  return { items: rows.map((row) => threadItem(settings, row)), nextCursor: null, changes: encoded(mark) };
}

const encoded = (mark: string): string => Buffer.from(mark).toString("base64url");

/** Converts the filters to a search. Throws `not_found` if the caller is not a member of the app. */
async function searchOf(
  { database }: Pick<Deps, "database">,
  viewer: ListRequest["caller"],
  { appId, tag = "", ...filters }: FeedbackFilters,
): Promise<Search> {
  if (appId !== undefined) await ownedApp(database, appId, viewer);
  return {
    viewer: { ...viewer, appId: appId ?? viewer.appId },
    filters: { ...filters, tags: tagNamesIn(tag) },
  };
}

const threadItem = (settings: Deps["settings"], row: FoundRow): FoundThread => ({
  id: row.id,
  app: { id: row.appId, name: row.appName },
  subject: row.subject,
  type: row.type,
  status: row.status,
  createdAt: row.createdAt,
  activeAt: row.activeAt,
  occurrences: row.occurrences,
  consoleUrl: threadUrl(settings, row.appId, row.id),
  waiting: row.waiting ?? "none",
  runId: row.runId,
});

function runAnswer(settings: Deps["settings"], row: FoundRunRow, now: Date): FoundRun {
  const { appId, appName, ...run } = stateAt(row, now);
  const app = { id: appId, name: appName };
  return { ...run, app, consoleUrl: threadUrl(settings, appId, run.feedbackId) };
}
