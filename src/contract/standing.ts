import * as z from "zod/mini";
import { instant, uuid } from "./fields.ts";

/** The states of the verdict on a test. */
export const verdictStates = [
  "not_started",
  "on_track",
  "at_risk",
  "out_of_reach",
  "reached",
  "not_reached",
  "cancelled",
] as const;

/**
 * Says whether a test can still reach its goal: the required number of testers, each with every day counted. The
 * verdict follows from what the server has counted. It does not say what an app store will decide. (rule T39)
 */
export const CycleVerdict = z.object({
  /**
   * `at_risk` means that the goal can be reached only with a late test session of yesterday or, on the first day, with
   * another tester. `out_of_reach` means that the goal cannot be reached any more. `not_reached` means that the test
   * ended without reaching it.
   */
  state: z.enum(verdictStates),
  /** How many testers the test needs. This is the number of its slots. */
  testersNeeded: z.int(),
  /**
   * How many testers have, or can still have, every day counted. An open slot is included if every day can still count
   * for a new tester.
   */
  testersPossible: z.int(),
  /** The day on which `testersPossible` fell to its present value. Only set for `out_of_reach` and `not_reached`. */
  sinceDay: z.nullable(z.int()),
  /** The numbers of the slots without a tester, while the test accepts testers. */
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
  /** How many testers with a slot have the day counted. */
  counted: z.int(),
  /** How many testers with a slot do not have the day counted yet. */
  open: z.int(),
});

export type TestToday = z.output<typeof TestToday>;

export const attentionStates = [
  "removal_due",
  "one_miss_left",
  "missed_yesterday",
  "today_open",
  "active",
] as const;

/** What a tester with a slot needs now. (rule T40) */
export const TesterAttention = z.object({
  slotId: uuid,
  seat: z.int(),
  /**
   * `removal_due`: the tester is removed unless a test session of yesterday still arrives. On tier `screenshot`,
   * nothing prevents the removal.
   * `one_miss_left`: the next missed day removes the tester. `missed_yesterday`: a late test session can still count
   * the day. `today_open`: today is not counted yet. `active`: the tester need not do anything now.
   */
  state: z.enum(attentionStates),
  /** Whether today is not counted yet. */
  needsToday: z.boolean(),
  /** Whether yesterday is not counted and a late session can still count it. False for tier `screenshot`. */
  needsYesterday: z.boolean(),
  /** The end of today, until which the tester can do what is needed. Null if nothing is needed now. */
  until: z.nullable(instant),
  missedDays: z.int(),
  /** How many more missed days remove the tester. */
  missesLeft: z.int(),
});

export type TesterAttention = z.output<typeof TesterAttention>;

/** How many testers have every day counted from the first day to this one. */
export const UnbrokenDay = z.object({
  dayIndex: z.int(),
  /** How many testers have all these days counted. */
  testers: z.int(),
  /**
   * `testers`, and the testers whose missing days can still count. These are today, and yesterday with a late test
   * session.
   */
  possible: z.int(),
});

export type UnbrokenDay = z.output<typeof UnbrokenDay>;
