import type { Transaction } from "../../../server/database/database.ts";
import { cyclesTopic } from "../../../server/database/transaction.ts";
import { type CountedDay, countedDays } from "../../../server/testing/cycles/store.ts";
import type { Service } from "../service/service.ts";

/** A listing as its owner would send it. */
export const newListing = {
  appName: "Lantern",
  packageName: "com.example.lantern",
  optInUrl: "https://play.example/apps/testing/com.example.lantern",
  testBrief: "Light the lantern.",
  screens: ["Home", "Map"],
  verificationTier: "sdk",
};

/** A tester requests an open slot. The request is valid for this time in milliseconds, by default 48 hours. */
export async function requestSlotAs(
  { deps: { database, clock } }: Service,
  slotId: string,
  tester: { id: string },
  stands = 48 * 3_600_000,
): Promise<void> {
  const expires = new Date(clock.now().getTime() + stands).toISOString();
  await database.write(async (tx) => {
    await tx.run(
      "UPDATE slots SET status = 'requested', tester_id = ?, request_expires_at = ? WHERE id = ? AND status = 'open'",
      tester.id,
      expires,
      slotId,
    );
    tx.signal(cyclesTopic);
  });
}

export interface SessionTraits {
  /** Null for a session outside the cycle. */
  readonly dayIndex: number | null;
  readonly startedAt: string;
  readonly seconds: number;
  readonly screens: readonly string[];
  readonly appVersion: string;
  /** The reason why it did not count; null if it made its day count. */
  readonly reason: string | null;
  readonly receivedAt: string;
}

/** A session of a slot as it was reported, by default just now. A session without a reason makes its day count. */
export async function recordSession(
  { deps: { database, clock, newId, passingTime } }: Service,
  slotId: string,
  { dayIndex, reason, ...traits }: Pick<SessionTraits, "dayIndex" | "reason"> & Partial<SessionTraits>,
): Promise<void> {
  await passingTime.catchUp();
  const id = newId();
  const seconds = traits.seconds ?? 60;
  const now = clock.now();
  const startedAt = traits.startedAt ?? new Date(now.getTime() - seconds * 1_000).toISOString();
  await database.write(async (tx) => {
    await tx.insert("test_sessions", {
      id,
      slot_id: slotId,
      day_index: dayIndex,
      started_at: startedAt,
      ended_at: new Date(Date.parse(startedAt) + seconds * 1_000).toISOString(),
      screens: JSON.stringify(traits.screens ?? ["Home", "Map"]),
      app_version: traits.appVersion ?? "1.4.0",
      reason,
      received_at: traits.receivedAt ?? now.toISOString(),
    });
    if (reason === null && dayIndex !== null)
      await countDay(tx, { slotId, dayIndex, kind: "session", evidenceId: id, at: now.toISOString() });
  });
}

/** A proof with these images, by their names under /uploads/. It makes its day count. */
export async function recordProof(
  { deps: { database, clock, newId, passingTime } }: Service,
  slotId: string,
  { dayIndex, appId, images }: { dayIndex: number; appId: string; images: readonly string[] },
): Promise<void> {
  await passingTime.catchUp();
  const id = newId();
  const at = clock.now().toISOString();
  await database.write(async (tx) => {
    await tx.insert("proofs", {
      id,
      slot_id: slotId,
      day_index: dayIndex,
      captured_at: at,
      queued_at: null,
      note: "The map is empty.",
      created_at: at,
    });
    for (const name of images)
      await tx.insert("uploads", {
        name,
        app_id: appId,
        proof_id: id,
        sha256: "0".repeat(64),
        media_type: "image/png",
        size: 1,
        created_at: at,
      });
    await countDay(tx, { slotId, dayIndex, kind: "proof", evidenceId: id, at });
  });
}

async function countDay(tx: Transaction, day: Omit<CountedDay, "cycleId">): Promise<void> {
  const slot = await tx.get<{ cycleId: string }>(
    `SELECT cycle_id AS "cycleId" FROM slots WHERE id = ?`,
    day.slotId,
  );
  if (!(await countedDays.count(tx, { ...day, cycleId: slot?.cycleId ?? "" })))
    throw new Error(`Day ${day.dayIndex} does not count`);
}
