import type { AuditEntry } from "../../src/contract/console/audit.ts";
import type { Deps } from "../deps.ts";
import type { ConsoleCaller } from "../http/handler.ts";
import { devices } from "../store/access/devices.ts";
import { type IdentityRow, identities } from "../store/access/identities.ts";
import { users } from "../store/access/users.ts";
import { changelogFeedback } from "../store/content/changelog-feedback.ts";
import { type AwaitingRow, awaitingProposals } from "../store/feedback/awaiting-proposals.ts";
import { type DeliveryRow, deliveries } from "../store/feedback/deliveries.ts";
import { type SlotRequestRow, slotRequests } from "../store/testing/slot-requests.ts";
import { namedTargets, namedTokens } from "./access/audit-names.ts";
import { idPart, instantPart, pageOf, readCursor } from "./list-page.ts";

export type WaitingProposal = AwaitingRow;
export type SlotRequest = SlotRequestRow;
export type ProposalDelivery = DeliveryRow;
export type ConnectedIdentity = IdentityRow;

const pageSize = 50;
const mostSlotRequests = 500;

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
  ({ database }: Pick<Deps, "database">) =>
  ({ userId, email }: Pick<ConsoleCaller, "userId" | "email">, now: Date) => ({
    countWaitingProposals: () => awaitingProposals.count(database, userId),

    /** A page of the proposals that wait for a decision, in all apps. Throws `bad_request` for a broken cursor. */
    async waitingProposals({ newestFirst, cursor }: WaitingPage) {
      const start = newestFirst ? readCursor(undefined, [instantPart, idPart]) : ["", ""];
      const position = cursor === "" ? start : readCursor(cursor, [instantPart, idPart]);
      const page = { newestFirst, position, limit: pageSize + 1 };
      const rows = await awaitingProposals.list(database, userId, page);
      return pageOf(rows, pageSize, ({ createdAt, id }) => [createdAt, id]);
    },

    /** How many testers ask for a slot, by app. */
    countSlotRequests: () => slotRequests.countByApp(database, userId, now.toISOString()),

    /** The testers who ask for a slot, in all apps. */
    slotRequests: () =>
      slotRequests.list(database, userId, { now: now.toISOString(), most: mostSlotRequests }),

    /** The chat messages about the proposals of a thread. The caller has checked that the thread is this person's. */
    deliveries: (threadId: string) => deliveries.list(database, threadId),

    /** The threads that a release note names. The caller has checked that the note is this person's. */
    feedbackOfReleaseNote: (entryId: string) => changelogFeedback.listSubjects(database, entryId),

    /** The release notes that name a thread. The caller has checked that the thread is this person's. */
    releaseNotesOfFeedback: (threadId: string) => changelogFeedback.listReleaseNotes(database, threadId),

    async hasPassword(): Promise<boolean> {
      const user = await users.findByEmail(database, email);
      return Boolean(user?.passwordHash);
    },

    connectedIdentities: () => identities.list(database, userId),

    /** The time zone of this person's profile; `UTC` when none was set. */
    async timezone(): Promise<string> {
      const profile = await devices.findProfile(database, userId);
      return profile?.timezone ?? "UTC";
    },

    auditTargets: (entries: readonly AuditEntry[]) => namedTargets(database, entries),
    auditTokens: (entries: readonly AuditEntry[]) => namedTokens(database, entries),
  });

export type PageReads = ReturnType<ReturnType<typeof createPageReads>>;
