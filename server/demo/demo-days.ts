import type { Deps } from "../deps.ts";
import { uploadOf } from "../routes/feedback/received-upload.ts";
import type { Transaction } from "../store/engine/database.ts";
import { uploads } from "../store/requests/uploads.ts";
import { countedDays } from "../store/testing/counted-days.ts";
import { proofs } from "../store/testing/proofs.ts";
import { testSessions } from "../store/testing/test-sessions.ts";
import { type DemoCycle, hour, later, minute } from "./demo-cycle.ts";
import type { DemoSlot } from "./demo-slots.ts";
import { demoListing, demoProofNotes } from "./demo-testing-content.ts";

interface LivedDay extends DemoSlot {
  /** The day of the test. */
  readonly day: number;
}

/** What a tester does on a day: what was put off from the day before, then what the day's letter says. */
export async function liveDay(deps: Deps, tx: Transaction, run: DemoCycle, lived: LivedDay): Promise<void> {
  const { day } = lived;
  if (letterOf(lived, day - 1) === "l") {
    const arrivedAt = later(run.dayStarts[day - 1], 7 * hour);
    const yesterday = { ...lived, day: day - 1 };
    await testFor(deps, tx, run, { ...yesterday, startedAt: momentOf(deps, run, yesterday), arrivedAt });
  }
  const startedAt = momentOf(deps, run, lived);
  const letter = startedAt === undefined ? "-" : letterOf(lived, day);
  if (letter === "b" || letter === "r")
    await testFor(deps, tx, run, { ...lived, startedAt: later(startedAt, -4 * minute), short: true });
  if (letter === "s" || letter === "r") await testFor(deps, tx, run, { ...lived, startedAt });
  if (letter === "p") await prove(deps, tx, run, { ...lived, startedAt });
}

const letterOf = ({ life: { from, days } }: DemoSlot, day: number): string | undefined =>
  days[day - Math.max(1, from)];

/** When a tester tests on a day: each at an hour of their own, today before now. Undefined where today is too young. */
function momentOf({ clock }: Deps, { dayStarts }: DemoCycle, { life, day }: LivedDay): string | undefined {
  const start = dayStarts[day - 1];
  const sinceStart = clock.now().getTime() - Date.parse(start ?? "");
  const usual = 8 * hour + ((life.seat * 97 + day * 31) % 720) * minute;
  const at = Math.floor(Math.min(usual, sinceStart * (0.4 + life.seat / 30)));
  return at > 5 * minute && sinceStart - at > 5 * minute ? later(start, at) : undefined;
}

interface Tested extends LivedDay {
  readonly startedAt: string | undefined;
  /** When the report of it arrived; at once where it is not said. */
  readonly arrivedAt?: string;
  /** Whether it was too short to count. */
  readonly short?: boolean;
}

/** A session, which counts its day unless it was too short. */
async function testFor(
  { newId }: Deps,
  tx: Transaction,
  run: DemoCycle,
  { slotId, life, day, startedAt, arrivedAt, short = false }: Tested,
): Promise<void> {
  const seconds = short ? 18 + life.seat : 70 + ((life.seat * 41 + day * 67) % 190);
  const endedAt = later(startedAt, seconds * 1_000);
  const at = arrivedAt ?? later(endedAt, 1_400);
  const id = newId();
  const told = { id, dayIndex: day, startedAt: later(startedAt, 0), endedAt, receivedAt: at };
  const screens = JSON.stringify(screensOf(life.seat + day, short ? 1 : 2 + ((life.seat + day) % 3)));
  const reason = short ? "session_below_bar" : null;
  await testSessions.record(tx, slotId, {
    ...told,
    screens,
    appVersion: day < 6 ? "2.4.0" : "2.4.1",
    reason,
  });
  if (!short)
    await countedDays.count(tx, {
      slotId,
      cycleId: run.id,
      dayIndex: day,
      kind: "session",
      evidenceId: id,
      at,
    });
}

const screensOf = (from: number, count: number): string[] =>
  Array.from(
    { length: count },
    (_, at) => demoListing.screens[(from + at) % demoListing.screens.length] ?? "",
  );

/** A proof of one picture, which counts its day. */
async function prove(
  { newId }: Deps,
  tx: Transaction,
  { id: cycleId, appId, picture }: DemoCycle,
  { slotId, life, day, startedAt: capturedAt = "" }: Tested,
): Promise<void> {
  const proofId = newId();
  const createdAt = later(capturedAt, 40_000);
  const note = demoProofNotes[(life.seat + day) % demoProofNotes.length] ?? null;
  await proofs.insert(tx, {
    id: proofId,
    slotId,
    dayIndex: day,
    capturedAt,
    queuedAt: null,
    note,
    createdAt,
  });
  await uploads.insert(tx, { ...uploadOf(picture, "image/png"), appId, proofId, createdAt });
  await countedDays.count(tx, {
    slotId,
    cycleId,
    dayIndex: day,
    kind: "proof",
    evidenceId: proofId,
    at: createdAt,
  });
}
