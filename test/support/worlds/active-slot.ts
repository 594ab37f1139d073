import { dayStartsOf, type TestedSlot } from "../../../server/testing/days/rules.ts";

const plan = { startsOn: "2026-05-01", timezone: "UTC", durationDays: 14 };
const days = { ...plan, dayStarts: dayStartsOf(plan) };

/** A slot of a cycle of two weeks from 1 May 2026 in UTC. It is active since the day before. */
export const activeSlot: TestedSlot = {
  status: "active",
  activatedAt: "2026-04-30T08:00:00.000Z",
  countedDays: new Set(),
  cycle: { ...days, status: "running" },
};

/** The same in a cycle of another status. */
export const slotInCycle = (status: string): TestedSlot => ({
  ...activeSlot,
  cycle: { ...activeSlot.cycle, status },
});

/** The given seconds, or a fraction of one, after an instant. */
export const secondsAfter = (instant: string, seconds: number): string =>
  new Date(Date.parse(instant) + seconds * 1_000).toISOString();
