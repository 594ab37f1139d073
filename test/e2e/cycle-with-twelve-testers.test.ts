import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type DevServer,
  planCycleOnDevServer,
  reportSession,
  sendProof,
  startDevServer,
  type Tester,
  takeSlot,
  taskOf,
} from "../support/worlds/cycle-on-dev-server.ts";

const names = ["Ada", "Ben", "Cleo", "Dov", "Edna", "Finn", "Gil", "Hana", "Ivo", "Juno", "Kai", "Lea"];
const all = Array.from({ length: 14 }, (_, index) => index + 1);

/** Nine in the morning, UTC, of a day of the cycle, whose first day is 1 March 2027 in Berlin. */
const morning = (day: number) => new Date(Date.UTC(2027, 1, 28 + day, 9)).toISOString();
const later = (instant: string, minutes: number) =>
  new Date(Date.parse(instant) + minutes * 60_000).toISOString();

describe("a cycle of twelve testers and fourteen days", () => {
  let inn: DevServer;
  let cycleId: string;
  const testers = new Map<string, Tester>();
  const told: Record<string, unknown> = {};

  beforeAll(async () => {
    inn = await startDevServer();
    await inn.setClock("2027-02-27T12:00:00.000Z");
    cycleId = await planCycleOnDevServer(inn, "2027-03-01");
    for (const name of names) await join(name);
    told.recruiting = (await taskOf(inn, one("Ada"))) ?? "no task yet";
    for (const day of all) await live(day);
    await inn.setClock("2027-03-15T00:00:00.000Z");
    told.afterTheLastDay = (await inn.own("GET", `/cycles/${cycleId}`)).cycle.status;
    told.taskAfter = (await taskOf(inn, one("Ada"))) ?? "no task any more";
    told.lateLast = await reportSession(inn, String(told.keyOfLea), morning(14), 60);
    await inn.setClock("2027-03-16T00:00:00.000Z");
  });
  afterAll(() => inn.close());

  async function join(name: string): Promise<void> {
    const tester = await inn.register(name);
    testers.set(name, tester);
    await takeSlot(inn, tester);
  }

  const one = (name: string): Tester => {
    const tester = testers.get(name);
    if (!tester) throw new Error(`Nobody is called ${name}`);
    return tester;
  };

  async function live(day: number): Promise<void> {
    const now = morning(day);
    await inn.setClock(now);
    // Her first session began before she had the slot, on the same day.
    if (day === 9) await join("Mia");
    for (const tester of testers.values()) await test(tester, day, now);
  }

  async function test(tester: Tester, day: number, now: string): Promise<void> {
    const task = await taskOf(inn, tester);
    if (!task) return;
    const report = (endedAt: string, seconds: number) => reportSession(inn, task.testKey, endedAt, seconds);
    if (tester.name === "Ben" && day === 5) return; // offline
    if (tester.name === "Ben" && day === 6) {
      told.atRisk = task;
      told.late = await report(later(morning(5), 1), 90);
      told.healed = await taskOf(inn, tester);
    }
    if (tester.name === "Lea" && day === 14) {
      told.keyOfLea = task.testKey;
      return; // is offline until the end of the cycle
    }
    if (tester.name === "Cleo" && day === 7) told.short = await report(now, 20);
    if (tester.name === "Dov" && day > 4) return; // has lost interest
    if (tester.name === "Edna" && day === 2) {
      told.proof = await sendProof(inn, tester, now);
      return;
    }
    if (tester.name === "Mia" && day === 9) told.before = await report(morning(8), 60);
    told[`${tester.name} ${day}`] = await report(now, 60);
  }

  it("contains no task for a tester before the first day", () => {
    expect(told.recruiting).toBe("no task yet");
  });

  it("counts a session of sufficient length on its day", () => {
    expect(told["Ada 1"]).toEqual({ matched: true, counted: true, dayIndex: 1, reason: null });
  });

  it("counts a late session on the day on which it happened", () => {
    expect(told.atRisk).toMatchObject({ slotStatus: "at_risk", missedDays: 1, dayIndex: 6 });
    expect(told.late).toMatchObject({ counted: true, dayIndex: 5 });
    expect(told.healed).toMatchObject({ slotStatus: "active", missedDays: 0, submitted: false });
  });

  it("counts a later session for a day whose first session was insufficient", () => {
    expect(told.short).toMatchObject({ counted: false, dayIndex: 7, reason: "session_below_bar" });
    expect(told["Cleo 7"]).toMatchObject({ counted: true, dayIndex: 7 });
  });

  it("accepts a proof in place of a session", () => {
    expect(told.proof).toMatchObject({ dayIndex: 2, submitted: true });
  });

  it("removes a tester after three missed days that no session can correct, and another tester gets a slot", async () => {
    const { slots } = await inn.own("GET", `/cycles/${cycleId}`);
    const left = slots.find(({ slotId }: { slotId: string }) => slotId === one("Dov").slotId);
    const successor = slots.find(({ slotId }: { slotId: string }) => slotId === one("Mia").slotId);
    expect(left).toMatchObject({ status: "removed", missedDays: 3, daysCounted: 4 });
    expect(successor).toMatchObject({ status: "completed", missedDays: 0, daysCounted: 6 });
  });

  it("counts sessions from the day on which the tester got the slot, and none before", () => {
    expect(told.before).toMatchObject({ counted: false, dayIndex: 8, reason: "session_stale" });
    expect(told["Mia 9"]).toMatchObject({ counted: true, dayIndex: 9 });
    expect(told["Mia 10"]).toMatchObject({ counted: true, dayIndex: 10 });
  });

  it("accepts sessions of the last day for one more day, without tasks", () => {
    expect(told.afterTheLastDay).toBe("running");
    expect(told.taskAfter).toBe("no task any more");
    expect(told.lateLast).toEqual({ matched: true, counted: true, dayIndex: 14, reason: null });
  });

  it("is completed one day after its last day", async () => {
    const { cycle } = await inn.own("GET", `/cycles/${cycleId}`);
    expect(cycle).toMatchObject({ status: "completed", dayIndex: 14, endsAt: "2027-03-14T23:00:00.000Z" });
    expect(await taskOf(inn, one("Ada"))).toBeUndefined();
  });

  it("has a report of facts at its end", async () => {
    const report = await inn.own("GET", `/cycles/${cycleId}/report`);
    expect(report).toMatchObject({ testers: 12, testersWithEveryDay: 11 });
    expect(report.testersPerDay.map(({ testers }: { testers: number }) => testers)).toEqual(
      all.map((day) => (day >= 5 && day <= 8 ? 11 : 12)),
    );
    expect(JSON.stringify(report)).not.toContain("@example.org");
  });

  it("writes no test key, token or password to the log", () => {
    expect(inn.logged()).not.toMatch(/stk_|sdt_|sdm_|sdk_|a password of some length/);
  });
});
