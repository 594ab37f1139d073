import { badRequest } from "../../../src/contract/errors.ts";
import type { Task } from "../../../src/contract/tester.ts";
import { cycleTopic, listingTopic, slotTopic, topicsOfAllSlots, userTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import { cachedLookup } from "../../http/lookup-cache.ts";
import type { SlotDisplay } from "./answer.ts";
import { type ActiveSlots, type TesterSlotRow, testerSlots } from "./store.ts";
import { taskAnswer } from "./task-answer.ts";
import { type TesterSlot, testerSlotOf } from "./tester-days.ts";

/** A tester's active slots, and the answer for today while the day lasts. */
interface KnownTester extends ActiveSlots {
  readonly testerId: string;
  /** The start and end of today, in epoch milliseconds. */
  today?: { readonly from: number; readonly until: number; readonly answer: PreparedAnswer };
}

/** How much memory a tester takes, and each slot, beside its texts. */
const smallThings = 1_000;
/** How much memory a character of a slot takes: two bytes, and in the answer of today at most three more. */
const bytesOfCharacter = 5;

/** Gives a tester's tasks of today or of an earlier day. Throws `bad_request` for a day that no test has reached. */
export function createTasks(
  { database, clock, memory, passingTime }: Pick<Deps, "database" | "clock" | "memory" | "passingTime">,
  shown: SlotDisplay,
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
      rows.reduce((sum, row) => sum + smallThings + bytesOfCharacter * lengthOf(row), smallThings),
  });
  const currentTester = async (testerId: string): Promise<KnownTester> => {
    const known = (await knownTester(testerId)) ?? nothing(testerId);
    if (!passingTime.isDue(known.nextAt)) return known;
    await passingTime.catchUpOf("tester", testerId);
    const caughtUp = (await knownTester(testerId)) ?? nothing(testerId);
    // Another server made the change a moment ago, and this one has not heard of it yet.
    return passingTime.isDue(caughtUp.nextAt) ? load(testerId) : caughtUp;
  };
  return async (testerId: string, day: number | undefined): Promise<PreparedAnswer> => {
    const now = clock.now();
    const known = await currentTester(testerId);
    const isKept = () => knownTester.peek(testerId) === known;
    if (day === undefined && known.today && isBetween(now.getTime(), known.today))
      return lasting(known, known.today, isKept);
    const slots = known.rows.map((row) => testerSlotOf(row, now));
    const answer = answerOf(asOf(slots, day).map((slot) => taskAnswer(slot, day ?? slot.today, shown)));
    if (day !== undefined) return answer;
    known.today = { ...spanOf(slots), answer };
    return lasting(known, known.today, isKept);
  };
}

type Today = NonNullable<KnownTester["today"]>;

/** The answer for today: it lasts until the day ends or a change is due. */
const lasting = ({ nextAt }: KnownTester, { from, until, answer }: Today, isCurrent: () => boolean) => ({
  ...answer,
  lasts: { from, until: nextAt === null ? until : Math.min(until, Date.parse(nextAt)), isCurrent },
});

/** The length of all texts of a slot. */
const lengthOf = (row: TesterSlotRow): number =>
  Object.values(row).reduce((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);

const nothing = (testerId: string): KnownTester => ({ testerId, rows: [], cycles: [], nextAt: null });

const answerOf = (tasks: readonly Task[]): PreparedAnswer =>
  prepareAnswer(JSON.stringify({ tasks, outstanding: tasks.filter(({ submitted }) => !submitted).length }));

const isBetween = (at: number, { from, until }: { readonly from: number; readonly until: number }): boolean =>
  from <= at && at < until;

/** The time during which it is today in all of these tests. */
function spanOf(slots: readonly TesterSlot[]) {
  const starts = slots.map(({ days, today }) => Date.parse(days.dayStarts[today - 1] ?? ""));
  const ends = slots.map(({ days, today }) => Date.parse(days.dayStarts[today] ?? ""));
  return { from: Math.max(...starts), until: Math.min(...ends) };
}

/** The slots of tests that have reached the day. */
function asOf(active: readonly TesterSlot[], day: number | undefined): readonly TesterSlot[] {
  if (day === undefined) return active;
  const reached = active.filter(({ today }) => today >= day);
  if (active.length > 0 && reached.length === 0)
    throw badRequest(
      "day",
      `must be at most ${Math.max(...active.map(({ today }) => today))}: that is today`,
    );
  return reached;
}
