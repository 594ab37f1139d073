import type { Thread } from "../../src/contract/agent.ts";
import type { AuditEntry } from "../../src/contract/audit.ts";
import { users } from "../access/accounts/store.ts";
import { namedTargets, namedTokens } from "../access/audit/api.ts";
import { devices } from "../access/devices/store.ts";
import { type IdentityRow, identities } from "../access/identity-providers/store.ts";
import { authors, type LastChange } from "../access/members/authors.ts";
import { changelogFeedback } from "../content/changelog/store.ts";
import type { Deps } from "../deps.ts";
import { assignableMembers } from "../feedback/assignees/assign.ts";
import { type DeliveryRow, deliveries } from "../feedback/chat/store.ts";
import { type AgentWorkRow, type AwaitingRow, agentWork, awaitingProposals } from "../feedback/home/store.ts";
import {
  livesOfThread,
  type NewestProposal,
  newestProposals,
  type ShownClaim,
  type ShownLife,
} from "../feedback/proposals/api/progress.ts";
import { type ChangeCounts, changesSince, unreadCounts, wasEdited } from "../feedback/unread/store/news.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import { idPart, instantPart, pageOf, readCursor } from "../http/list-page.ts";
import { sendsMail } from "../mail/outgoing/queue.ts";
import { audienceOf } from "../mail/sender/mails.ts";
import { type SlotRequestRow, slotRequests } from "../testing/slots/store.ts";

export type WaitingProposal = AwaitingRow;
export type Changes = ChangeCounts;

/** What waits for a person in an app: unread threads, and proposals that the person may decide on. */
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
export type ConnectedIdentity = IdentityRow;

const pageSize = 50;
const mostSlotRequests = 500;
/** Enough to see at a glance what agents do. One row more says that there are others. */
const mostWork = 10;
const workShownMilliseconds = 30 * 86_400_000;

/** One page of the proposals that wait. An empty `cursor` is the first page. */
interface WaitingPage {
  readonly newestFirst: boolean;
  readonly cursor: string;
}

/**
 * What console pages show and no endpoint of the API answers. Everything is read for one signed-in person, at the time
 * `now`.
 */
export const createPageReads =
  ({ database, settings }: Pick<Deps, "database" | "settings">) =>
  ({ userId, email }: Pick<ConsoleCaller, "userId" | "email">, now: Date) => ({
    /** Whether replies leave this server by mail. */
    sendsMail: sendsMail(settings),

    /** What is unread and what waits for a decision, by app. No number is greater than 100. (rule F54) */
    async counts(): Promise<ReadonlyMap<string, AppCounts>> {
      const rows = await unreadCounts(database, userId);
      return new Map(rows.map(({ appId, unread, waiting }) => [appId, { unread, waiting }]));
    },

    /** Whether others changed fields of a thread since then. The caller has checked that the thread is this person's. */
    wasEdited: ({ app, feedback }: Pick<Thread, "app" | "feedback">, since: string) =>
      wasEdited(database, { appId: app.id, feedbackId: feedback.id, userId, since }),

    /** What happened in an app since then. The caller has checked that the app is this person's. */
    changesSince: (appId: string, since: string) => changesSince(database, { appId, userId, since }),

    /** A page of the proposals that wait for a decision, in all apps. Throws `bad_request` for a broken cursor. */
    async waitingProposals({ newestFirst, cursor }: WaitingPage) {
      const start = newestFirst ? readCursor(undefined, [instantPart, idPart]) : ["", ""];
      const position = cursor === "" ? start : readCursor(cursor, [instantPart, idPart]);
      const page = { oldestFirst: !newestFirst, position, limit: pageSize + 1 };
      const rows = await awaitingProposals.list(database, userId, page);
      return pageOf(rows, pageSize, ({ createdAt, id }) => [createdAt, id]);
    },

    /** What agents work on, what failed, and what was sent back and not proposed again, of 30 days, in all apps. */
    async agentWork() {
      const since = new Date(now.getTime() - workShownMilliseconds).toISOString();
      const asked = { userId, since, most: mostWork + 1 };
      const [inWork, failed, sentBack] = await Promise.all([
        agentWork.inWork(database, asked),
        agentWork.failed(database, asked),
        agentWork.sentBack(database, asked),
      ]);
      return { inWork: shortListOf(inWork), failed: shortListOf(failed), sentBack: shortListOf(sentBack) };
    },

    /** How many testers ask for a slot, by app. */
    countSlotRequests: () => slotRequests.countByApp(database, userId, now.toISOString()),

    /** The requests for slots of all apps that expire first, one page of them. */
    slotRequests: () => slotRequests.list(database, userId, { now: now.toISOString(), most: pageSize }),

    /** The requests for slots of an app. */
    slotRequestsOf: (appId: string) =>
      slotRequests.list(database, userId, { now: now.toISOString(), most: mostSlotRequests, appId }),

    /** How far the newest proposal of each thread is. The caller has checked that the threads are this person's. */
    newestProposals: (threadIds: readonly string[]) => newestProposals(database, threadIds, now),

    /** What happened to each proposal of a thread. The caller has checked that the thread is this person's. */
    proposalLives: (threadId: string) => livesOfThread(database, threadId),

    /** The chat messages about the proposals of a thread. The caller has checked that the thread is this person's. */
    deliveries: (threadId: string) => deliveries.list(database, threadId),

    /** The threads that a release note names. The caller has checked that the note is this person's. */
    feedbackOfReleaseNote: (entryId: string) => changelogFeedback.listSubjects(database, entryId),

    /** How many senders get a mail when a release note is published. The caller has checked that it is this person's. */
    countTold: async (note: { readonly id: string; readonly appId: string }) =>
      sendsMail(settings) ? (await audienceOf(database, note)).size : 0,

    /** The release notes that name a thread. The caller has checked that the thread is this person's. */
    releaseNotesOfFeedback: (threadId: string) => changelogFeedback.listReleaseNotes(database, threadId),

    /** Who last changed each entry of an app's FAQ. The caller has checked that the app is this person's. */
    faqAuthors: async (appId: string) => byId(await authors.ofFaqs(database, appId)),

    /** Who last changed these release notes. The caller has checked that they are this person's. */
    releaseNoteAuthors: async (ids: readonly string[]) => byId(await authors.ofReleaseNotes(database, ids)),

    /** Who last changed the settings of an app. The caller has checked that the app is this person's. */
    appAuthor: (appId: string) => authors.ofApp(database, appId),

    /** Who can look after a thread of an app. The caller has checked that the app is this person's. */
    assignableMembers: (appId: string) => assignableMembers(database, appId),

    async hasPassword(): Promise<boolean> {
      const user = await users.findByEmail(database, email);
      return Boolean(user?.passwordHash);
    },

    /** Whether the person can and must still show that the address is theirs. (rule S30) */
    mustVerify: async () => sendsMail(settings) && !(await users.isVerified(database, userId)),

    connectedIdentities: () => identities.list(database, userId),

    /** The time zone of this person's profile; `UTC` when none was set. */
    async timezone(): Promise<string> {
      const profile = await devices.findProfile(database, userId);
      return profile?.timezone ?? "UTC";
    },

    auditTargets: (entries: readonly AuditEntry[]) => namedTargets(database, entries),
    auditTokens: (entries: readonly AuditEntry[]) => namedTokens(database, entries),
  });

export type { LastChange };

const byId = (changes: readonly LastChange[]): ReadonlyMap<string, LastChange> =>
  new Map(changes.map((change) => [change.id, change]));

/** The first rows of a list, and whether there are more. */
export interface ShortList {
  readonly rows: readonly AgentWork[];
  readonly more: boolean;
}

const shortListOf = (rows: readonly AgentWork[]): ShortList => ({
  rows: rows.slice(0, mostWork),
  more: rows.length > mostWork,
});

export type PageReads = ReturnType<ReturnType<typeof createPageReads>>;
