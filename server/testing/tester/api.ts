import { ApiError, badRequest, type ErrorDetails, type Issue } from "../../../src/contract/errors.ts";
import { fileFault } from "../../../src/contract/fields.ts";
import { isReceivedFile, type ReceivedFile } from "../../../src/contract/files.ts";
import { limits, proofImages } from "../../../src/contract/limits.ts";
import type { Profile } from "../../../src/contract/sign-in.ts";
import type { tester as contract, NewProof, Slot, Task } from "../../../src/contract/tester.ts";
import { devices } from "../../access/sign-in/store.ts";
import { doubtfulTime } from "../../clock.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import {
  cyclesTopic,
  cycleTopic,
  listingTopic,
  slotTopic,
  topicsOfAllSlots,
  userTopic,
} from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { type ReceivedUpload, uploadOf } from "../../feedback/reports/uploads.ts";
import { uploads } from "../../files/store.ts";
import { type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import {
  type AnswerOf,
  type Handlers,
  idPart,
  instantPart,
  pageOf,
  type Request,
  readCursor,
  withTraits,
} from "../../http/handler.ts";
import { cachedLookup } from "../../http/memory.ts";
import { changeHours } from "../../notices/choices/hours.ts";
import { hashOf, mintCredential, type Sealer } from "../../secrets/secrets.ts";
import { recordEvent } from "../../webhooks/events/record.ts";
import { countedDays, slots, storeCountedEvent } from "../cycles/store.ts";
import {
  acceptsTesters,
  canEarn,
  countedDaysOf,
  dayIndexAt,
  dayStartsOfRow,
  dueByOf,
  isOver,
  isPassingRefusal,
  judgeProof,
  requestMilliseconds,
  type TestDays,
  type TestedSlot,
  targetScreen,
  todayOf,
  wouldHaveBeenAccepted,
} from "../days/rules.ts";
import { type ActiveSlots, openListings, proofs as rows, type TesterSlotRow, testerSlots } from "./store.ts";

/** Returns the handlers for testers, without `submitProof`. `iconUrl` is the icon for apps without their own icon. */
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

    updateProfile: (request) => updateProfile(deps, request),
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

/** The estimated bytes for one character: two in the cached slot, and at most three in today's answer. */
const bytesOfCharacter = 5;

/**
 * Creates the function that returns a tester's tasks. It throws `bad_request` for a day that has not begun.
 * (rule T25)
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
    // If a change still seems due, the cached slots are old: another server has just applied the change.
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

/** Returns the answer for today, which is valid until the day ends or a change is due. */
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

/** Returns the start and end of the time in which the current day changes in none of these tests. */
function spanOf(slots: readonly TesterSlot[]) {
  const starts = slots.map(({ days, today }) => Date.parse(days.dayStarts[today - 1] ?? ""));
  const ends = slots.map(({ days, today }) => Date.parse(days.dayStarts[today] ?? ""));
  return { from: Math.max(...starts), until: Math.min(...ends) };
}

/**
 * Returns the slots that the tester already had on `day`. Throws `bad_request` if `day` has begun in no test.
 */
function reachedBy(active: readonly TesterSlot[], day: number | undefined): readonly TesterSlot[] {
  if (day === undefined) return active;
  const reached = active.filter(({ today }) => today >= day);
  if (active.length > 0 && reached.length === 0)
    throw badRequest(
      "day",
      `must be at most ${Math.max(...active.map(({ today }) => today))}, which is today`,
    );
  return reached.filter(
    ({ row: { activatedAt }, days }) => activatedAt === null || dayIndexAt(days, activatedAt) <= day,
  );
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
 * Changes the account's time zone and the device's push token. A null or blank `pushToken` turns notifications
 * off.
 */
async function updateProfile(
  deps: Pick<Deps, "clock">,
  { caller, body, save }: Request<typeof contract.updateProfile>,
): Promise<Profile> {
  return save(async (tx) => {
    if (body.timezone !== undefined) await changeHours(deps, tx, caller.userId, { timezone: body.timezone });
    if (body.pushToken !== undefined) await devices.setPushToken(tx, caller.id, body.pushToken || null);
    const profile = await devices.findProfile(tx, caller.userId);
    return { timezone: profile?.timezone ?? "UTC", isTester: profile?.isTester === 1 };
  });
}

type ProofsDeps = Pick<Deps, "clock" | "database" | "keptFiles" | "newId" | "time">;

/** Returns the handler that stores the images of a proof of today and counts the day. (rule T29) */
export const proofs = (deps: ProofsDeps): Pick<Handlers<typeof contract>, "submitProof"> => ({
  submitProof: withTraits(
    { keptRefusals: ["slot_not_active"], catchesUp: { of: "slot", by: "body.slotId" } },
    (request) => submitProof(deps, request),
  ),
});

async function submitProof(
  deps: ProofsDeps,
  { caller, body, save }: Request<typeof contract.submitProof>,
): Promise<AnswerOf<typeof contract.submitProof>> {
  const submission = { testerId: caller.userId, body };
  const accepted = await accept(deps, deps.database, submission);
  const images = proofImagesOf(body);
  const received = images.map((image) => image.received);
  const first = (tx: Transaction) => deps.keptFiles.secure(tx, received);
  const count = async (tx: Transaction) => {
    const proofId = deps.newId();
    const at = deps.clock.now();
    const day = { ...accepted, kind: "proof", evidenceId: proofId, at: at.toISOString() } as const;
    if (!(await countedDays.count(tx, day))) throw await refusalNow(deps, tx, submission);
    await storeCountedEvent(tx, deps.newId(), day);
    await insert(tx, { ...accepted, proofId, at }, { body, images });
    return { proofId, slotId: accepted.slotId, dayIndex: accepted.dayIndex, submitted: true };
  };
  return deps.keptFiles.keepFor(received, () => save(count, { first }));
}

interface Submission {
  readonly testerId: string;
  readonly body: NewProof;
}

interface Accepted {
  readonly slotId: string;
  readonly cycleId: string;
  readonly appId: string;
  readonly dayIndex: number;
}

/** Judges a proof. Returns the slot and the day that counts. Throws the reason of a refusal. */
async function accept(
  { clock, time }: Pick<Deps, "clock" | "time">,
  reader: Reader,
  { testerId, body }: Submission,
): Promise<Accepted> {
  const row = await testerSlots.find(reader, body.slotId, testerId);
  if (!row) throw new ApiError("not_found");
  const now = clock.now();
  const faults = imageFaults(body);
  const slot = testedSlotOf(testerSlotOf(row, now));
  const proof = { capturedAt: body.capturedAt, imageFaults: faults };
  const verdict = judgeProof(proof, slot, now);
  const { dayIndex } = verdict;
  if (!verdict.accepted && time.isDoubtful() && wouldHaveBeenAccepted(proof, slot)) throw doubtfulTime();
  if (verdict.accepted) return { slotId: row.slotId, cycleId: row.cycleId, appId: row.appId, dayIndex };
  const { code } = verdict;
  const isPassing = isPassingRefusal({ code, capturedAt: body.capturedAt }, slot, now);
  if (code === "slot_not_active" || code === "cycle_not_running") throw new ApiError(code, { isPassing });
  const isOfImages = code === "no_images" || code === "bad_image";
  const isAfterTheTest = code === "out_of_window" && isOver(slot.cycle, now.toISOString());
  throw new ApiError(code, {
    dayIndex,
    isPassing,
    ...(isOfImages ? imageDetails(faults) : {}),
    ...(isAfterTheTest
      ? { message: row.verificationTier === "sdk" ? daysAreOver : daysAreOverForProofs }
      : {}),
  });
}

const daysAreOver =
  "The days of the test are over, so no proof is accepted. A session of the last day still counts if it arrives before the end of the day after the last day.";

/** The message for a test in which the app reports no sessions, so no session can arrive late. */
const daysAreOverForProofs = "The days of the test are over, so no proof is accepted.";

/** Returns the reason why a proof is refused now, although the first check accepted it. */
async function refusalNow(deps: ProofsDeps, tx: Transaction, submission: Submission): Promise<ApiError> {
  const { dayIndex } = await accept(deps, tx, submission);
  return new ApiError("already_submitted", { dayIndex });
}

async function insert(
  tx: Transaction,
  { proofId, slotId, appId, dayIndex, at }: Accepted & { readonly proofId: string; readonly at: Date },
  { body, images }: { readonly body: NewProof; readonly images: readonly ProofImage[] },
): Promise<void> {
  const { capturedAt, queuedAt, note } = body;
  const createdAt = at.toISOString();
  const sent = { capturedAt, queuedAt: queuedAt || null, note: note || null };
  await rows.insert(tx, { id: proofId, slotId, dayIndex, createdAt, ...sent });
  for (const [position, { upload }] of images.entries()) {
    // The upload times differ by a millisecond, which keeps the order of the images.
    const uploadedAt = new Date(at.getTime() + position).toISOString();
    await uploads.insert(tx, { ...upload, appId, proofId, createdAt: uploadedAt });
  }
}

/** A received image of a proof, and the upload that is stored for it. */
interface ProofImage {
  readonly received: ReceivedFile;
  readonly upload: ReceivedUpload;
}

/** Returns for each image of a proof what is wrong with it; undefined for a valid image. */
const imageFaults = ({ images = [] }: Pick<NewProof, "images">): (string | undefined)[] =>
  images.map((image) => fileFault(image, proofImages));

/** Returns the details of an error about images: the wrong images and the reasons. */
function imageDetails(faults: readonly (string | undefined)[]): ErrorDetails {
  if (faults.length === 0)
    return { issues: [{ path: "images", message: "must contain at least one image" }] };
  const issues = faults.flatMap((message, at): Issue[] =>
    message ? [{ path: `images.${at}`, message }] : [],
  );
  const named = issues.map(({ path, message }) => `${path} ${message}`);
  return { issues, message: `An image cannot be used: ${named.join("; ")}.` };
}

/** Returns the valid images of a proof, in order. */
const proofImagesOf = ({ images = [] }: Pick<NewProof, "images">): ProofImage[] =>
  images.flatMap((image) =>
    isReceivedFile(image) && image.detectedType !== null
      ? [{ received: image, upload: uploadOf(image, image.detectedType) }]
      : [],
  );

/**
 * Returns a tester's task on a day. Clients never compute `dayIndex` and `targetScreen` themselves.
 * (rules T26, T35)
 */
function taskAnswer(slot: TesterSlot, dayIndex: number, deps: SlotAnswerDeps): Task {
  const { row, days, counted } = slot;
  return {
    slotId: row.slotId,
    cycleId: row.cycleId,
    listingId: row.listingId,
    appName: row.appName,
    iconUrl: row.iconUrl ?? deps.iconUrl,
    packageName: row.packageName,
    optInUrl: row.optInUrl,
    testBrief: row.testBrief,
    dayIndex,
    durationDays: row.durationDays,
    targetScreen: targetScreen(screensOf(row), row.slotId, dayIndex),
    dueBy: dueByOf(days, dayIndex),
    submitted: counted.has(dayIndex),
    slotStatus: row.status,
    missedDays: row.missedDays,
    joinCheckPending: row.joinCheckPending === 1,
    verificationTier: row.verificationTier,
    testKey: testKeyOf(slot, deps) ?? null,
  };
}

const screensOf = ({ screens }: TesterSlot["row"]): string[] => JSON.parse(screens);

/** The sealer decrypts the test key of a slot. The icon is for apps without their own icon. */
interface SlotAnswerDeps {
  readonly sealer: Sealer;
  readonly iconUrl: string;
}

/** Converts a slot to the object that the API returns to its tester. */
function slotAnswer(slot: TesterSlot, deps: SlotAnswerDeps): Slot {
  const { row, today, counted } = slot;
  const testKey = testKeyOf(slot, deps);
  return {
    slotId: row.slotId,
    cycleId: row.cycleId,
    status: row.status,
    app: {
      name: row.appName,
      iconUrl: row.iconUrl ?? deps.iconUrl,
      packageName: row.packageName,
      optInUrl: row.optInUrl,
    },
    dayIndex: today,
    durationDays: row.durationDays,
    cycleStatus: row.cycleStatus,
    missedDays: row.missedDays,
    lastProofDayIndex: Math.max(0, ...counted),
    joinCheckPending: row.joinCheckPending === 1,
    requestExpiresAt: row.requestExpiresAt,
    verificationTier: row.verificationTier,
    ...(testKey === undefined ? {} : { testKey }),
  };
}

/** Returns the test key if a day can still count and the app reports sessions; undefined otherwise. */
function testKeyOf({ row }: TesterSlot, { sealer }: Pick<SlotAnswerDeps, "sealer">): string | undefined {
  if (row.verificationTier !== "sdk" || row.keySealed === null) return undefined;
  return canEarn(row.status, row.cycleStatus) ? sealer.open(row.keySealed) : undefined;
}

/** A slot of a tester with the days of its test. */
interface TesterSlot {
  readonly row: TesterSlotRow;
  readonly days: TestDays;
  /** The number of the current day: 0 before the first day, the number of the last day after the test. */
  readonly today: number;
  readonly counted: ReadonlySet<number>;
}

function testerSlotOf(row: TesterSlotRow, now: Date): TesterSlot {
  const { startsOn, timezone, durationDays } = row;
  const days = { startsOn, timezone, durationDays, dayStarts: dayStartsOfRow(row) };
  return { row, days, today: todayOf(days, now), counted: countedDaysOf(row.counted) };
}

/** Returns the facts about a slot that are needed to decide whether a proof is accepted. */
const testedSlotOf = ({ row, days, counted }: TesterSlot): TestedSlot => ({
  status: row.status,
  activatedAt: row.activatedAt,
  countedDays: counted,
  cycle: { ...days, status: row.cycleStatus },
});
