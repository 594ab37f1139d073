import type { SlotDay, SlotWithDays } from "../../../src/contract/cycles.ts";
import type { Deps } from "../../deps.ts";
import { slots } from "../slots/store.ts";
import { dayStartsOfRow, slotAnswer } from "./answer.ts";
import { dayEvidence, type EvidenceSessionRow, type ProofImageRow } from "./day-evidence.ts";
import { dayStateOf } from "./slot-days.ts";
import type { CycleRow } from "./store.ts";

/** The slots of a cycle, each with all days of the test and their evidence. */
export async function slotsWithDays(
  { database, settings }: Pick<Deps, "database" | "settings">,
  cycle: CycleRow,
): Promise<SlotWithDays[]> {
  const [rows, known] = await Promise.all([
    slots.list(database, cycle.id),
    evidenceOf({ database, settings }, cycle.id),
  ]);
  const lived = { status: cycle.status, dayStarts: dayStartsOfRow(cycle), closedDays: cycle.closedDays };
  return rows.map((row) => ({
    ...slotAnswer(row),
    days: Array.from({ length: cycle.durationDays }, (_, at) => {
      const day = known(row.id, at + 1);
      const judged = { dayIndex: at + 1, isCounted: day.countedBy !== null };
      return { ...day, state: dayStateOf(judged, row, lived) };
    }),
  }));
}

type KnownDay = Omit<SlotDay, "state">;

async function evidenceOf(
  { database, settings }: Pick<Deps, "database" | "settings">,
  cycleId: string,
): Promise<(slotId: string, dayIndex: number) => KnownDay> {
  const [counted, counting, longest, tallies, images] = await Promise.all([
    dayEvidence.counted(database, cycleId).then(byDay),
    dayEvidence.countingSessions(database, cycleId).then(byDay),
    dayEvidence.longestSessions(database, cycleId).then(byDay),
    dayEvidence.sessionsPerDay(database, cycleId).then(byDay),
    dayEvidence.proofs(database, cycleId).then(grouped),
  ]);
  return (slotId, dayIndex) => {
    const key = keyOf({ slotId, dayIndex });
    const count = counted.get(key);
    const session = counting.get(key) ?? longest.get(key);
    return {
      dayIndex,
      countedBy: count?.kind ?? null,
      countedAt: count?.countedAt ?? null,
      reason: count ? null : (tallies.get(key)?.reason ?? null),
      sessions: tallies.get(key)?.sessions ?? 0,
      session: session ? sessionAnswer(session) : null,
      proof: proofAnswer(images.get(key) ?? [], settings.baseUrl),
    };
  };
}

interface OfDay {
  readonly slotId: string;
  readonly dayIndex: number;
}

const keyOf = ({ slotId, dayIndex }: OfDay): string => `${slotId} ${dayIndex}`;

const byDay = <Row extends OfDay>(rows: readonly Row[]): Map<string, Row> =>
  new Map(rows.map((row) => [keyOf(row), row]));

function grouped<Row extends OfDay>(rows: readonly Row[]): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(keyOf(row));
    if (group) group.push(row);
    else groups.set(keyOf(row), [row]);
  }
  return groups;
}

const sessionAnswer = (row: EvidenceSessionRow): NonNullable<SlotDay["session"]> => ({
  startedAt: row.startedAt,
  endedAt: row.endedAt,
  screens: JSON.parse(row.screens),
  appVersion: row.appVersion,
  receivedAt: row.receivedAt,
});

/** The newest proof of a day. `rows` has one row for each image. */
function proofAnswer(rows: readonly ProofImageRow[], baseUrl: string): SlotDay["proof"] {
  const newest = rows.at(-1);
  if (!newest) return null;
  const uploads = rows.flatMap(({ proofId, upload }) =>
    proofId === newest.proofId && upload !== null ? [upload] : [],
  );
  return {
    proofId: newest.proofId,
    capturedAt: newest.capturedAt,
    queuedAt: newest.queuedAt,
    receivedAt: newest.receivedAt,
    note: newest.note,
    images: uploads.map((name) => `${baseUrl}/uploads/${name}`),
  };
}
