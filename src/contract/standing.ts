import * as z from "zod/mini";
import { instant, uuid } from "./fields.ts";

/** The states of the verdict on a test. */
export const verdictStates = [
  "not_started",
  "on_track",
  /**
   * The goal can only be reached if a session of yesterday is reported today. On the first day: if another
   * tester gets a slot.
   */
  "at_risk",
  /** The goal cannot be reached any more. */
  "out_of_reach",
  "reached",
  /** The test has ended, and the goal was not reached. */
  "not_reached",
  "cancelled",
] as const;

/**
 * Whether a test can still have enough testers with every day counted. It says nothing about an app store's decision.
 * (rule T39)
 */
export const CycleVerdict = z.object({
  state: z.enum(verdictStates),
  /** How many testers the test needs. This is the number of its slots. */
  testersNeeded: z.int(),
  /**
   * The number of testers for whom every day is or can be counted, including possible testers of open slots.
   */
  testersPossible: z.int(),
  /**
   * The day since which `testersPossible` has its current value. Only set for `out_of_reach` and `not_reached`.
   */
  sinceDay: z.nullable(z.int()),
  /** The numbers of the slots without a tester. Empty if the test does not accept new testers. */
  openSeats: z.array(z.int()),
  /** The verdict as a sentence. */
  text: z.string(),
  /** What the owner can do, as a sentence. */
  advice: z.nullable(z.string()),
});

export type CycleVerdict = z.output<typeof CycleVerdict>;

/** The day of a test that is not over yet. */
export const TestToday = z.object({
  dayIndex: z.int(),
  endsAt: instant,
  /** The number of testers with a slot for whom today is counted. */
  counted: z.int(),
  /** The number of testers with a slot for whom today is not counted yet. */
  open: z.int(),
});

export type TestToday = z.output<typeof TestToday>;

export const attentionStates = [
  /** Only a session of yesterday that is reported today can prevent the removal of the tester. */
  "removal_due",
  /** The next missed day removes the tester. */
  "one_miss_left",
  /** Yesterday still counts if a session of yesterday is reported today. */
  "missed_yesterday",
  /** Today is not counted yet. */
  "today_open",
  /** The tester need not do anything now. */
  "active",
] as const;

/** What a tester with a slot needs now. (rule T40) */
export const TesterAttention = z.object({
  slotId: uuid,
  seat: z.int(),
  state: z.enum(attentionStates),
  /** Whether today is not counted yet. */
  needsToday: z.boolean(),
  /** Whether a session of yesterday that is reported today would count. False for the tier `screenshot`. */
  needsYesterday: z.boolean(),
  /** The time until which the tester can do what is needed. Null if nothing is needed. */
  until: z.nullable(instant),
  missedDays: z.int(),
  /** The number of further missed days after which the tester is removed. */
  missesLeft: z.int(),
});

export type TesterAttention = z.output<typeof TesterAttention>;

/** How many testers have every day counted, from the first day of the test to the day `dayIndex`. */
export const UnbrokenDay = z.object({
  dayIndex: z.int(),
  /** The number of testers for whom every day up to `dayIndex` is counted. */
  testers: z.int(),
  /** The number of testers for whom every day up to `dayIndex` is counted or can still be counted. */
  possible: z.int(),
});

export type UnbrokenDay = z.output<typeof UnbrokenDay>;
