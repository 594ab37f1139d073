import { setTimeout } from "node:timers/promises";
import type * as z from "zod/mini";
import type { Thread } from "../../src/contract/agent.ts";
import type { AuditEntry } from "../../src/contract/audit.ts";
import type { Auth, Endpoint } from "../../src/contract/endpoint.ts";
import { ApiError, type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import { valueAt } from "../../src/contract/json.ts";
import { limits } from "../../src/contract/limits.ts";
import { preferenceRows, users } from "../access/accounts/store.ts";
import { namedTargets, namedTokens } from "../access/audit/api.ts";
import { createInvitedRead, type InvitedRead } from "../access/members/api.ts";
import { authors, type LastChange, type TextChange } from "../access/members/authors.ts";
import type { InvitedRow } from "../access/members/store.ts";
import {
  createMailedInvitationRead,
  type MailedInvitation,
  type MailedInvitationRead,
} from "../access/sign-in/api.ts";
import { devices } from "../access/sign-in/store.ts";
import { type IdentityRow, identities } from "../access/sign-in-methods/store.ts";
import { firstSteps, type StartedApp } from "../access/start/store.ts";
import {
  changelog,
  changelogFeedback,
  type NamedThread,
  type ReleaseTitle,
  type WantedThreads,
} from "../content/changelog/store.ts";
import { type FaqQuestion, faqs } from "../content/faqs/store.ts";
import type { Reader } from "../database/database.ts";
import type { Deps } from "../deps.ts";
import { noteLongWork } from "../event-loop.ts";
import { bulkChanges } from "../feedback/bulk/store.ts";
import { type DeliveryRow, deliveries } from "../feedback/chat/store.ts";
import { type AgentWorkRow, type AwaitingRow, agentWork, awaitingProposals } from "../feedback/home/store.ts";
import { messages } from "../feedback/messages/store.ts";
import {
  livesOfThread,
  type NewestProposal,
  newestProposals,
  type ShownClaim,
  type ShownLife,
} from "../feedback/proposals/api.ts";
import { lastWeek } from "../feedback/statistics/rules.ts";
import { statistics } from "../feedback/statistics/store.ts";
import { assignableMembers } from "../feedback/threads/change.ts";
import { endDueSnoozes } from "../feedback/threads/store/fields.ts";
import { numberThreads } from "../feedback/threads/store/threads.ts";
import { type ChangeCounts, changesSince, unreadCounts, wasEdited } from "../feedback/unread/store/news.ts";
import { asApiError, isDownload, isEventStream, isPrepared } from "../http/answers.ts";
import type { InvokeDeps } from "../http/call-steps.ts";
import {
  type Api,
  type Callers,
  type ConsoleCaller,
  type Groups,
  type InvocationResult,
  type Invoke,
  idPart,
  instantPart,
  mapEndpoints,
  pageOf,
  type Request,
  readCursor,
} from "../http/handler.ts";
import { createInvoke } from "../http/pipeline.ts";
import { sendsMail } from "../mail/outgoing/queue.ts";
import { reachOfPublication } from "../mail/outgoing/release-mails.ts";
import { type MailFault, mailFaultOf, type ReachCounts } from "../mail/outgoing/rules.ts";
import { mails } from "../mail/outgoing/store.ts";
import { type TestBelow, testsBelow } from "../testing/cycles/api.ts";
import { type SlotRequestRow, slotRequests } from "../testing/cycles/store.ts";
import { type People, peopleOf } from "./parts.tsx";

export type WaitingProposal = AwaitingRow;
export type Changes = ChangeCounts;

/** How many threads are unread, and how many proposals wait for a decision that the person may make. */
export interface AppCounts {
  readonly unread: number;
  readonly waiting: number;
}

export type InboxProposal = NewestProposal;
export type ProposalLife = ShownLife;
export type ProposalClaim = ShownClaim;
export type AgentWork = AgentWorkRow;
export type SlotRequest = SlotRequestRow;
export type ProposalDelivery = DeliveryRow;
export type { InvitedRow, NamedThread, TestBelow };
export type ConnectedIdentity = IdentityRow;

export {
  createInvitedRead,
  createMailedInvitationRead,
  type InvitedRead,
  type MailedInvitation,
  type MailedInvitationRead,
};

const pageSize = 50;
const mostSlotRequests = 500;
const mostStarted = 3;
const mostQuestions = 1_000;
const mostInQueue = 100;
/** The maximum length of each list of agent work. One more row is read, to detect a longer list. */
const mostWork = 10;
const workShownMilliseconds = 30 * 86_400_000;

/** Selects a page of the waiting proposals. An empty `cursor` means the first page. */
interface WaitingPage {
  readonly newestFirst: boolean;
  readonly cursor: string;
}

/** Creates the functions that read page data for one signed-in person. No endpoint of the API returns this data. */
export const createPageReads =
  ({ database, settings, clock, time }: Pick<Deps, "clock" | "database" | "settings" | "time">) =>
  ({ userId, email }: Pick<ConsoleCaller, "userId" | "email">, now: Date) => ({
    get sendsMail() {
      return sendsMail(settings);
    },

    /**
     * Returns why the mails of `appId`, or of all owned apps, cannot be sent. Undefined without a fault, and on
     * a server that sends no mail. (rule M17)
     */
    async mailFault(appId?: string): Promise<MailFault | undefined> {
      if (settings.mailOut === undefined || settings.dev) return undefined;
      return mailFaultOf(await mails.waitingOf(database, userId, appId), now);
    },

    /**
     * Returns the numbers of unread threads and waiting proposals by app id, each at most 100. First ends due
     * snoozes. (rule F54)
     */
    async counts(): Promise<ReadonlyMap<string, AppCounts>> {
      await endDueSnoozes({ database, clock, time });
      const rows = await unreadCounts(database, userId);
      return new Map(rows.map(({ appId, unread, waiting }) => [appId, { unread, waiting }]));
    },

    /**
     * Whether other people changed a thread after `since`. The caller has checked that the person may read the thread.
     */
    wasEdited: ({ app, feedback }: Pick<Thread, "app" | "feedback">, since: string) =>
      wasEdited(database, { appId: app.id, feedbackId: feedback.id, userId, since }),

    /** Returns the id of the next message, or undefined. The caller has checked the access to the thread. */
    messageAfter: async (feedbackId: string, messageId: string) =>
      (await messages.after(database, feedbackId, messageId))?.id,

    /**
     * Returns the names of the person and of people with a shared app. Leaves out people without a name.
     * (rule K33)
     */
    people: async (): Promise<People> => peopleOf(await users.named(database, userId)),

    /** Counts the changes in an app after `since`. The caller has checked that the person is a member. */
    changesSince: (appId: string, since: string) => changesSince(database, { appId, userId, since }),

    /** Returns a page of the waiting proposals in all apps. Throws `bad_request` for an invalid cursor. */
    async waitingProposals({ newestFirst, cursor }: WaitingPage) {
      const start = newestFirst ? readCursor(undefined, [instantPart, idPart]) : ["", ""];
      const position = cursor === "" ? start : readCursor(cursor, [instantPart, idPart]);
      const page = { oldestFirst: !newestFirst, position, limit: pageSize + 1 };
      const rows = await awaitingProposals.list(database, userId, page);
      return pageOf(rows, pageSize, ({ createdAt, id }) => [createdAt, id]);
    },

    /** Counts the waiting proposals on which only other members may decide, up to 101. */
    countForOthers: () => awaitingProposals.countForOthers(database, userId, mostInQueue + 1),

    /** Returns the newest apps that the person owns and whose first steps are neither done nor hidden. (rule O36) */
    startedApps: async (): Promise<StartedApp[]> =>
      (await firstSteps.started(database, userId, mostStarted)).filter(
        ({ hasKey, hasReport, answered }) => hasKey + hasReport + answered < 3,
      ),

    /** Returns the first 100 waiting proposals in all apps, and whether there are more. */
    async firstWaiting(newestFirst: boolean): Promise<FirstWaiting> {
      const position = newestFirst ? readCursor(undefined, [instantPart, idPart]) : ["", ""];
      const page = { oldestFirst: !newestFirst, position, limit: mostInQueue + 1 };
      const rows = await awaitingProposals.list(database, userId, page);
      return { rows: rows.slice(0, mostInQueue), more: rows.length > mostInQueue };
    },

    /** Returns what happened in the last seven days in all apps of the person. */
    lastWeek: () => statistics.inAllApps(database, userId, lastWeek(now)),

    /** Returns the agent work in all apps of the person, without replaced proposals. (rule A54) */
    agentWork: () => workOfAgents(database, userId, now),

    /** Returns how many testers request a slot. The keys are the ids of the apps. */
    countSlotRequests: () => slotRequests.countByApp(database, userId, now.toISOString()),

    /** Returns the running tests with too few testers, in all apps in which the person is at least a maintainer. */
    testsBelow: () => testsBelow(database, userId),

    /** Returns the first 50 requests for slots in all apps. The requests that expire soonest come first. */
    slotRequests: () => slotRequests.list(database, userId, { now: now.toISOString(), most: pageSize }),

    /** Returns the requests for slots in an app. */
    slotRequestsOf: (appId: string) =>
      slotRequests.list(database, userId, { now: now.toISOString(), most: mostSlotRequests, appId }),

    /** Returns the newest proposal of each thread. The caller has checked that the person may read the threads. */
    newestProposals: (threadIds: readonly string[]) => newestProposals(database, threadIds, now),

    /** Counts the threads with a waiting proposal in the person's bulk change, up to 100. */
    awaitingInChange: (changeId: string) =>
      bulkChanges.countAwaiting(database, changeId, userId, limits.mostCounted + 1),

    /** Returns the history of each proposal of a thread. The caller has checked that the person may read the thread. */
    proposalLives: (threadId: string) => livesOfThread(database, threadId),

    /**
     * Returns the chat messages about a thread's proposals. The caller has checked that the person may read the thread.
     */
    deliveries: (threadId: string) => deliveries.list(database, threadId),

    /** Returns the threads with these ids or numbers, up to a limit. The caller has checked the membership. */
    async threadsNamed(appId: string, { ids, numbers }: WantedThreads): Promise<readonly NamedThread[]> {
      if (ids.length + numbers.length === 0) return [];
      // New threads have no number yet.
      await numberThreads(database, appId);
      return changelogFeedback.listNamed(database, appId, {
        ids: ids.slice(0, limits.changelogFeedback),
        numbers: numbers.slice(0, limits.changelogFeedback),
      });
    },

    /**
     * Returns the sorted addresses that get a mail about a release note. The caller has checked the membership.
     */
    async reachOf(
      note: Omit<Parameters<typeof reachOfPublication>[1], "now">,
    ): Promise<{ readonly addresses: readonly string[]; readonly counts: ReachCounts }> {
      const { receivers, counts } = await reachOfPublication({ database, settings }, { ...note, now });
      return { addresses: [...receivers.keys()].sort(), counts };
    },

    /** Returns the release notes that refer to a thread. The caller has checked that the person may read the thread. */
    releaseNotesOfFeedback: (threadId: string) => changelogFeedback.listReleaseNotes(database, threadId),

    /**
     * Returns the newest release notes that are not published yet. The caller has checked that the person is a member.
     */
    openReleaseNotes: (appId: string) => changelogFeedback.listOpenNotes(database, appId, now.toISOString()),

    /** Returns the questions of the FAQs in all apps of the person, at most 1,000. */
    faqQuestions: () => faqs.listQuestions(database, userId, mostQuestions),

    /** Returns the titles of the newest release notes in all apps of the person, at most 1,000. */
    releaseTitles: () => changelog.listTitles(database, userId, mostQuestions),

    /** Returns the last text change of each FAQ entry. The caller has checked that the person is a member. */
    faqAuthors: async (appId: string) => byId(await authors.ofFaqs(database, appId)),

    /** Returns the last change of each of these release notes. The caller has checked that the person may read them. */
    releaseNoteAuthors: async (ids: readonly string[]) => byId(await authors.ofReleaseNotes(database, ids)),

    /** Returns the last change of the settings of an app. The caller has checked that the person is a member. */
    appAuthor: (appId: string) => authors.ofApp(database, appId),

    /** Returns the members to whom a thread can be assigned. The caller has checked that the person is a member. */
    assignableMembers: (appId: string) => assignableMembers(database, appId),

    async hasPassword(): Promise<boolean> {
      const user = await users.findByEmail(database, email);
      return Boolean(user?.passwordHash);
    },

    /** Returns the console preferences of the person. */
    preferences: () => preferenceRows.of(database, userId),

    /**
     * Whether the person must still confirm the e-mail address. False if the server sends no mail. (rule S30)
     */
    mustVerify: async () => sendsMail(settings) && !(await users.isVerified(database, userId)),

    connectedIdentities: () => identities.list(database, userId),

    /** Returns the time zone in the profile of this person; `UTC` if there is none. */
    async timezone(): Promise<string> {
      const profile = await devices.findProfile(database, userId);
      return profile?.timezone ?? "UTC";
    },

    /** Returns the time zone in the profile of this person; undefined if there is none or if it is `UTC`. */
    async ownZone(): Promise<string | undefined> {
      const profile = await devices.findProfile(database, userId);
      return profile?.timezone === "UTC" ? undefined : profile?.timezone;
    },

    auditTargets: (entries: readonly AuditEntry[]) => namedTargets(database, entries),
    auditTokens: (entries: readonly AuditEntry[]) => namedTokens(database, entries),
  });

export type { FaqQuestion, LastChange, ReleaseTitle, StartedApp, TextChange };

const byId = <Change extends { readonly id: string }>(
  changes: readonly Change[],
): ReadonlyMap<string, Change> => new Map(changes.map((change) => [change.id, change]));

/** The first waiting proposals, and whether there are more. */
interface FirstWaiting {
  readonly rows: readonly WaitingProposal[];
  readonly more: boolean;
}

/** The first rows of a list, and whether the list has more rows. */
export interface ShortList {
  readonly rows: readonly AgentWork[];
  readonly more: boolean;
}

async function workOfAgents(database: Reader, userId: string, now: Date) {
  const since = new Date(now.getTime() - workShownMilliseconds).toISOString();
  const asked = { userId, since, now: now.toISOString(), most: mostWork + 1 };
  const [approved, inWork, failed, sentBack] = await Promise.all([
    agentWork.approved(database, asked),
    agentWork.inWork(database, asked),
    agentWork.failed(database, asked),
    agentWork.sentBack(database, asked),
  ]);
  return {
    approved: shortListOf(approved),
    inWork: shortListOf(inWork),
    failed: shortListOf(failed),
    sentBack: shortListOf(sentBack),
  };
}

const shortListOf = (rows: readonly AgentWork[]): ShortList => ({
  rows: rows.slice(0, mostWork),
  more: rows.length > mostWork,
});

export type PageReads = ReturnType<ReturnType<typeof createPageReads>>;

/** The input for a call of an endpoint. */
export interface CallInput {
  readonly params?: Readonly<Record<string, string>>;
  /** The query. A field with an empty value is not sent. */
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, unknown>>;
  /** The same as the header `Idempotency-Key` over HTTP. With this key, a repeated call changes something only once. */
  readonly idempotencyKey?: string | undefined;
}

export type Answered<E extends Endpoint> = E["success"] extends { body: infer Body extends z.ZodMiniType }
  ? z.output<Body>
  : undefined;

/** Calls an endpoint like a request over HTTP. Throws an ApiError if the endpoint refuses the call. */
export type Ask = <E extends Endpoint>(endpoint: E, input?: CallInput) => Promise<Answered<E>>;

/** The browser and the caller for whom a page calls endpoints. Without a sign-in, the caller is nobody. */
export interface CallOrigin {
  readonly caller: Callers[Auth];
  readonly address: string;
  readonly browser: Request["browser"];
  readonly setSession: Request["setSession"];
}

/**
 * Creates the function that returns an `Ask` for one request. Rules, audit and idempotency are the same as over
 * HTTP. (rule O3)
 */
export function createAsks<C extends Groups>(
  api: Api<C>,
  deps: InvokeDeps & Pick<Deps, "log" | "stopping">,
): (origin: CallOrigin) => Ask {
  const invokes = new Map<Endpoint, Invoke>(
    mapEndpoints(api, (endpoint, handle) => [endpoint, createInvoke(endpoint, handle, deps)]),
  );
  return (origin) =>
    async (endpoint, { params = {}, query = {}, body, idempotencyKey } = {}) => {
      const invoke = invokes.get(endpoint);
      if (!invoke) throw new Error(`The API of the console has no endpoint ${endpoint.path}`);
      const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => params[name] ?? "");
      const given = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== ""));
      const callerNow = async () => origin.caller;
      const incoming = { ...origin, callerNow, path, params, body, query: given, idempotencyKey };
      const attempt = () => invoke({ ...incoming, signal: () => deps.stopping });
      const outcome = await retryWhileBusy(attempt).catch((thrown) => {
        throw refusalIfBusy(deps.log, endpoint, thrown);
      });
      return answerOf(endpoint, outcome);
    };
}

/** Converts a temporary error of the database or a file into an ApiError `busy`. Logs the reason. */
function refusalIfBusy(log: Deps["log"], { method, path }: Endpoint, thrown: unknown): unknown {
  const error = asApiError(thrown);
  if (error.code !== "busy") return thrown;
  // The log contains the route, because a path may contain a secret.
  log.warn({ method, route: path, err: thrown }, "a page answered that the server is busy");
  return error;
}

/** Repeats a call while another call with the same idempotency key runs. A person may send a form twice. */
async function retryWhileBusy(
  attempt: () => Promise<InvocationResult>,
  times = 20,
): Promise<InvocationResult> {
  try {
    return await attempt();
  } catch (error) {
    const running = error instanceof ApiError && error.code === "idempotency_in_progress";
    if (!running || times === 0) throw error;
  }
  await setTimeout(100);
  return retryWhileBusy(attempt, times - 1);
}

function answerOf<E extends Endpoint>(endpoint: E, { status, body }: InvocationResult): Answered<E> {
  const text = body === undefined ? "null" : textOf(body);
  if (text.length > mostOfShort) noteLongWork();
  const value: unknown = JSON.parse(text);
  if (status >= 400) throw refusalOf(value);
  const answer = "body" in endpoint.success ? endpoint.success.body.parse(value) : undefined;
  // The cast is safe: the schema of this endpoint has just parsed the answer.
  return answer as Answered<E>;
}

/** An answer with at most this many characters is parsed in much less than a millisecond. */
const mostOfShort = 10_000;

function textOf(body: NonNullable<InvocationResult["body"]>): string {
  if (isDownload(body) || isEventStream(body)) throw new Error("A page cannot show a download.");
  return isPrepared(body) ? body.body.toString() : body;
}

function refusalOf(body: unknown): ApiError {
  const code = valueAt(body, "code");
  return new ApiError(isErrorCode(code) ? code : "internal");
}

const isErrorCode = (code: unknown): code is ErrorCode => typeof code === "string" && code in errorCatalogue;
