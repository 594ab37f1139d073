import { ApiError, badRequest } from "../../../src/contract/errors.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Profile } from "../../../src/contract/sign-in.ts";
import type { tester as contract, Slot, Task } from "../../../src/contract/tester.ts";
import { devices } from "../../access/sign-in/devices-store.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import {
  cyclesTopic,
  cycleTopic,
  listingTopic,
  slotTopic,
  topicsOfAllSlots,
  userTopic,
} from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import { type Handlers, type Request, withTraits } from "../../http/handler.ts";
import { idPart, instantPart, pageOf, readCursor } from "../../http/list-page.ts";
import { cachedLookup } from "../../http/memory.ts";
import { hashOf, mintCredential } from "../../secrets/secrets.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { dayStartsOfRow } from "../days/rules.ts";
import { acceptsTesters, requestMilliseconds } from "../days/slots-rules.ts";
import { slots } from "../cycles/slots-store.ts";
import { type SlotAnswerDeps, slotAnswer, type TesterSlot, taskAnswer, testerSlotOf } from "./answer.ts";
import { type ActiveSlots, openListings, type TesterSlotRow, testerSlots } from "./store.ts";

/**
 * Returns the handlers for testers, except the handler for proofs. `iconUrl` is the icon for apps without an icon of
 * their own.
 */
export const tester = (
  deps: Pick<Deps, "clock" | "database" | "memory" | "newId" | "passingTime" | "sealer">,
  iconUrl: string,
): Omit<Handlers<typeof contract>, "submitProof"> => {
  const { database, clock, sealer } = deps;
  const answerDeps: SlotAnswerDeps = { sealer, iconUrl };
  const tasksOf = createTasks(deps, answerDeps);
  const slotOf = async (reader: Reader, slotId: string, testerId: string): Promise<{ slot: Slot }> => {
    const row = await testerSlots.find(reader, slotId, testerId);
    if (!row) throw new ApiError("not_found");
    return { slot: slotAnswer(testerSlotOf(row, clock.now()), answerDeps) };
  };

  return {
    tasks: withTraits({ ready: true }, ({ caller, query }) => tasksOf(caller.userId, query.day)),

    slots: withTraits({ catchesUp: { of: "tester", by: "account" } }, async ({ caller }) => {
      const now = clock.now();
      const rows = await testerSlots.list(database, caller.userId);
      return { slots: rows.map((row) => slotAnswer(testerSlotOf(row, now), answerDeps)) };
    }),

    async listings({ caller, query: { cursor, limit = limits.listPage.default } }) {
      const position = readCursor(cursor, [instantPart, idPart]);
      const asked = { testerId: caller.userId, now: clock.now().toISOString(), position, limit: limit + 1 };
      const rows = await openListings(database, asked);
      const page = pageOf(rows, limit, ({ createdAt, cycleId }) => [createdAt, cycleId]);
      const listings = page.items.map(({ createdAt: _, ...row }) => ({
        ...row,
        iconUrl: row.iconUrl ?? iconUrl,
      }));
      return { listings, nextCursor: page.nextCursor };
    },

    requestSlot: withTraits({ ...catchesUpSlot, keptRefusals: ["own_listing"] }, ({ caller, params, save }) =>
      save(async (tx) => {
        await requestSlot(deps, tx, { slotId: params.slotId, testerId: caller.userId });
        return slotOf(tx, params.slotId, caller.userId);
      }),
    ),

    rotateKey: withTraits(
      { ...catchesUpSlot, keptRefusals: ["slot_not_active"] },
      ({ caller, params, save }) =>
        save(async (tx) => {
          await slotOf(tx, params.slotId, caller.userId);
          const key = mintCredential("stk_");
          if (
            !(await slots.rotateKey(tx, params.slotId, { keyHash: hashOf(key), keySealed: sealer.seal(key) }))
          )
            throw new ApiError("slot_not_active");
          tx.signal(slotTopic(params.slotId));
          return slotOf(tx, params.slotId, caller.userId);
        }),
    ),

    updateProfile,
  };
};

const catchesUpSlot = { catchesUp: { of: "slot", by: "params.slotId" } } as const;

/** The cached active slots of a tester, and the answer for today. */
interface KnownTester extends ActiveSlots {
  readonly testerId: string;
  /** The answer for today, with the start and end of today in epoch milliseconds. */
  today?: { readonly from: number; readonly until: number; readonly answer: PreparedAnswer };
}

/** The estimated memory in bytes for a tester, and for each slot without its texts. */
const bytesWithoutTexts = 1_000;

/**
 * The estimated memory for one character in the texts of a slot: two bytes, and at most three more in the answer for
 * today.
 */
const bytesOfCharacter = 5;

/**
 * Creates the function that returns a tester's tasks of today or of an earlier day. It throws `bad_request` for a day
 * that has not begun in any test. (rule T25)
 */
function createTasks(
  { database, clock, memory, passingTime }: Pick<Deps, "database" | "clock" | "memory" | "passingTime">,
  answerDeps: SlotAnswerDeps,
) {
  const load = async (testerId: string): Promise<KnownTester> => ({
    testerId,
    ...(await testerSlots.listActive(database, testerId)),
  });
  const knownTester = cachedLookup<KnownTester>({
    ...{ memory, load },
    dropAll: topicsOfAllSlots,
    topicsOf: ({ testerId, cycles, rows }) => [
      userTopic(testerId),
      ...cycles.map(cycleTopic),
      ...rows.flatMap(({ slotId, listingId }) => [slotTopic(slotId), listingTopic(listingId)]),
    ],
    bytesOf: ({ rows }) =>
      rows.reduce(
        (sum, row) => sum + bytesWithoutTexts + bytesOfCharacter * lengthOf(row),
        bytesWithoutTexts,
      ),
  });
  const currentTester = async (testerId: string): Promise<KnownTester> => {
    const known = (await knownTester(testerId)) ?? nothing(testerId);
    if (!passingTime.isDue(known.nextAt)) return known;
    await passingTime.catchUpOf("tester", testerId);
    const caughtUp = (await knownTester(testerId)) ?? nothing(testerId);
    // If a change is still due, another server has just applied it, and the signal of that server has not arrived yet.
    // Then the cached slots are out of date.
    return passingTime.isDue(caughtUp.nextAt) ? load(testerId) : caughtUp;
  };
  return async (testerId: string, day: number | undefined): Promise<PreparedAnswer> => {
    const now = clock.now();
    const known = await currentTester(testerId);
    const isKept = () => knownTester.peek(testerId) === known;
    if (day === undefined && known.today && isBetween(now.getTime(), known.today))
      return lasting(known, known.today, isKept);
    const slots = known.rows.map((row) => testerSlotOf(row, now));
    const answer = answerOf(
      reachedBy(slots, day).map((slot) => taskAnswer(slot, day ?? slot.today, answerDeps)),
    );
    if (day !== undefined) return answer;
    known.today = { ...spanOf(slots), answer };
    return lasting(known, known.today, isKept);
  };
}

type Today = NonNullable<KnownTester["today"]>;

/** Returns the answer for today. It is valid until the day ends or a change is due. */
const lasting = ({ nextAt }: KnownTester, { from, until, answer }: Today, isCurrent: () => boolean) => ({
  ...answer,
  lasts: { from, until: nextAt === null ? until : Math.min(until, Date.parse(nextAt)), isCurrent },
});

/** Returns the length of all texts of a slot. */
const lengthOf = (row: TesterSlotRow): number =>
  Object.values(row).reduce((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);

const nothing = (testerId: string): KnownTester => ({ testerId, rows: [], cycles: [], nextAt: null });

const answerOf = (tasks: readonly Task[]): PreparedAnswer =>
  prepareAnswer(JSON.stringify({ tasks, outstanding: tasks.filter(({ submitted }) => !submitted).length }));

const isBetween = (at: number, { from, until }: { readonly from: number; readonly until: number }): boolean =>
  from <= at && at < until;

/** Returns the start and the end of the time in which the current day does not change in any of these tests. */
function spanOf(slots: readonly TesterSlot[]) {
  const starts = slots.map(({ days, today }) => Date.parse(days.dayStarts[today - 1] ?? ""));
  const ends = slots.map(({ days, today }) => Date.parse(days.dayStarts[today] ?? ""));
  return { from: Math.max(...starts), until: Math.min(...ends) };
}

/** Returns the slots of the tests in which this day has begun. */
function reachedBy(active: readonly TesterSlot[], day: number | undefined): readonly TesterSlot[] {
  if (day === undefined) return active;
  const reached = active.filter(({ today }) => today >= day);
  if (active.length > 0 && reached.length === 0)
    throw badRequest(
      "day",
      `must be at most ${Math.max(...active.map(({ today }) => today))}, which is today`,
    );
  return reached;
}

/**
 * Requests a slot for a tester. The request expires after 48 hours. Throws `not_found`, `own_listing`,
 * `cycle_not_open`, `already_in_cycle` and `slot_taken`. (rule T5)
 */
async function requestSlot(
  { clock, newId }: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { slotId, testerId }: { readonly slotId: string; readonly testerId: string },
): Promise<void> {
  const { cycleId } = await requestedSlot(tx, slotId, testerId);
  await tx.lock(`cycle:${cycleId}`);
  const slot = await requestedSlot(tx, slotId, testerId);
  const now = clock.now();
  if (slot.isMember) throw new ApiError("own_listing");
  if (!acceptsTesters({ status: slot.cycleStatus, dayStarts: dayStartsOfRow(slot) }, now.toISOString()))
    throw new ApiError("cycle_not_open");
  if (await slots.isIn(tx, cycleId, testerId)) throw new ApiError("already_in_cycle");
  const expiresAt = new Date(now.getTime() + requestMilliseconds).toISOString();
  if (!(await testerSlots.request(tx, slotId, { testerId, expiresAt }))) throw new ApiError("slot_taken");
  const { appId, seat } = slot;
  await recordEvent({ newId }, tx, {
    ...{ appId, type: "seat.requested", subjectId: slotId, at: now.toISOString(), by: testerId },
    facts: { cycleId, seat, expiresAt },
  });
  tx.signal(cyclesTopic);
}

async function requestedSlot(tx: Transaction, slotId: string, testerId: string) {
  const found = await testerSlots.findRequested(tx, slotId, testerId);
  if (!found) throw new ApiError("not_found");
  return found;
}

/**
 * Changes the account's time zone and the push token of the device that sends the request. A null or blank `pushToken`
 * turns notifications off.
 */
async function updateProfile({
  caller,
  body,
  save,
}: Request<typeof contract.updateProfile>): Promise<Profile> {
  return save(async (tx) => {
    if (body.timezone !== undefined) await devices.setTimezone(tx, caller.userId, body.timezone);
    if (body.pushToken !== undefined) await devices.setPushToken(tx, caller.id, body.pushToken || null);
    const profile = await devices.findProfile(tx, caller.userId);
    return { timezone: profile?.timezone ?? "UTC", isTester: profile?.isTester === 1 };
  });
}
