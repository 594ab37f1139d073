import { badRequest } from "../../../src/contract/errors.ts";
import type { Task } from "../../../src/contract/tester.ts";
import type { Deps } from "../../deps.ts";
import { type PreparedAnswer, prepareAnswer } from "../../http/answers.ts";
import { cachedLookup } from "../../http/lookup-cache.ts";
import { concernsSlots } from "../../store/engine/topics.ts";
import { type ActiveSlots, testerSlots } from "../../store/testing/tester-slots.ts";
import type { SlotDisplay } from "./slot-answer.ts";
import { taskAnswer } from "./task-answer.ts";
import { type TesterSlot, testerSlotOf } from "./tester-days.ts";

/** A tester's active slots, and the answer for today while the day lasts. */
interface KnownTester extends ActiveSlots {
  /** The start and end of today, in epoch milliseconds. */
  today?: { readonly from: number; readonly until: number; readonly answer: PreparedAnswer };
}

/** Gives a tester's tasks of today or of an earlier day. Throws `bad_request` for a day that no test has reached. */
export function createTasks(
  { database, clock, passingTime }: Pick<Deps, "database" | "clock" | "passingTime">,
  shown: SlotDisplay,
) {
  const knownTester = cachedLookup(database, concernsSlots, async (testerId): Promise<KnownTester> => {
    return testerSlots.listActive(database, testerId);
  });
  const currentTester = async (testerId: string): Promise<KnownTester> => {
    const known = (await knownTester(testerId)) ?? nothing;
    if (!passingTime.isDue(known.nextAt)) return known;
    await passingTime.catchUpOf("tester", testerId);
    return (await knownTester(testerId)) ?? nothing;
  };
  return async (testerId: string, day: number | undefined): Promise<PreparedAnswer> => {
    const now = clock.now();
    const known = await currentTester(testerId);
    if (day === undefined && known.today && isBetween(now.getTime(), known.today)) return known.today.answer;
    const slots = known.rows.map((row) => testerSlotOf(row, now));
    const answer = answerOf(asOf(slots, day).map((slot) => taskAnswer(slot, day ?? slot.today, shown)));
    if (day === undefined) known.today = { ...spanOf(slots), answer };
    return answer;
  };
}

const nothing: KnownTester = { rows: [], nextAt: null };

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
