import { uploadOf } from "../feedback/reports/received-upload.ts";
import { uploads } from "../files/uploads-store.ts";
import { proofs } from "../testing/proofs/store.ts";
import { testSessions } from "../testing/sessions/store.ts";
import { countedDays } from "../testing/slots/counted-days.ts";
import { type CycleSeeding, hour, later, minute } from "./demo-cycle.ts";
import type { DemoSlot } from "./demo-slots.ts";
import { demoListing, demoProofNotes } from "./demo-testing-content.ts";

interface TesterDay extends DemoSlot {
  /** The day of the cycle, from 1. */
  readonly day: number;
}

/** Records a tester's day: a test session of the day before that is uploaded late, then what the day's letter says. */
export async function recordDay(seeding: CycleSeeding, testerDay: TesterDay): Promise<void> {
  const { day } = testerDay;
  if (letterOf(testerDay, day - 1) === "l") {
    const arrivedAt = later(seeding.cycle.dayStarts[day - 1], 7 * hour);
    const yesterday = { ...testerDay, day: day - 1 };
    await recordSession(seeding, { ...yesterday, startedAt: startOf(seeding, yesterday), arrivedAt });
  }
  const startedAt = startOf(seeding, testerDay);
  const letter = startedAt === undefined ? "-" : letterOf(testerDay, day);
  if (letter === "b" || letter === "r")
    await recordSession(seeding, { ...testerDay, startedAt: later(startedAt, -4 * minute), short: true });
  if (letter === "s" || letter === "r") await recordSession(seeding, { ...testerDay, startedAt });
  if (letter === "p") await recordProof(seeding, { ...testerDay, startedAt });
}

const letterOf = ({ tester: { from, days } }: DemoSlot, day: number): string | undefined =>
  days[day - Math.max(1, from)];

/** When a tester tests on a day: at the tester's own hour, today before now. Undefined if today began minutes ago. */
function startOf({ deps, cycle }: CycleSeeding, { tester, day }: TesterDay): string | undefined {
  const start = cycle.dayStarts[day - 1];
  const sinceStart = deps.clock.now().getTime() - Date.parse(start ?? "");
  const usual = 8 * hour + ((tester.seat * 97 + day * 31) % 720) * minute;
  const at = Math.floor(Math.min(usual, sinceStart * (0.4 + tester.seat / 30)));
  return at > 5 * minute && sinceStart - at > 5 * minute ? later(start, at) : undefined;
}

interface TestedDay extends TesterDay {
  readonly startedAt: string | undefined;
  /** When the report arrived; right after the session if it is not given. */
  readonly arrivedAt?: string;
  /** Whether the session was too short to count. */
  readonly short?: boolean;
}

/** Records a test session. It counts its day unless it was too short. */
async function recordSession(
  { deps, tx, cycle }: CycleSeeding,
  { slotId, tester: { seat }, day, startedAt, arrivedAt, short = false }: TestedDay,
): Promise<void> {
  const seconds = short ? 18 + seat : 70 + ((seat * 41 + day * 67) % 190);
  const endedAt = later(startedAt, seconds * 1_000);
  const at = arrivedAt ?? later(endedAt, 1_400);
  const id = deps.newId();
  await testSessions.record(tx, slotId, {
    id,
    dayIndex: day,
    startedAt: later(startedAt, 0),
    endedAt,
    receivedAt: at,
    screens: JSON.stringify(screensOf(seat + day, short ? 1 : 2 + ((seat + day) % 3))),
    appVersion: day < 6 ? "2.4.0" : "2.4.1",
    reason: short ? "session_below_bar" : null,
  });
  if (short) return;
  const counted = { slotId, cycleId: cycle.id, dayIndex: day, kind: "session", evidenceId: id, at } as const;
  await countedDays.count(tx, counted);
}

const screensOf = (from: number, count: number): string[] =>
  Array.from(
    { length: count },
    (_, at) => demoListing.screens[(from + at) % demoListing.screens.length] ?? "",
  );

/** Records a proof with one image. It counts its day. */
async function recordProof(
  { deps, tx, cycle }: CycleSeeding,
  { slotId, tester, day, startedAt: capturedAt = "" }: TestedDay,
): Promise<void> {
  const id = deps.newId();
  const createdAt = later(capturedAt, 40_000);
  const note = demoProofNotes[(tester.seat + day) % demoProofNotes.length] ?? null;
  await proofs.insert(tx, { id, slotId, dayIndex: day, capturedAt, queuedAt: null, note, createdAt });
  const upload = uploadOf(cycle.picture, "image/png");
  await uploads.insert(tx, { ...upload, appId: cycle.appId, proofId: id, createdAt });
  const counted = { slotId, cycleId: cycle.id, dayIndex: day, kind: "proof", evidenceId: id } as const;
  await countedDays.count(tx, { ...counted, at: createdAt });
}
