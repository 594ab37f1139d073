import { receivedFile } from "../../src/contract/received-file.ts";
import { users } from "../access/accounts/store.ts";
import type { Transaction } from "../database/database.ts";
import { cyclesTopic, slotsTopic } from "../database/signals.ts";
import type { Deps } from "../deps.ts";
import { advanceCycle } from "../testing/cycles/advance-cycle.ts";
import { dayStartsOf } from "../testing/cycles/days.ts";
import { dueChanges } from "../testing/cycles/due-changes.ts";
import { cycles } from "../testing/cycles/store.ts";
import { listings } from "../testing/listings/store.ts";
import { requestMilliseconds } from "../testing/slots/rules.ts";
import { type CycleSeeding, type DemoCycle, hour, later } from "./demo-cycle.ts";
import { recordDay } from "./demo-days.ts";
import { demoPicture } from "./demo-picture.ts";
import { type DemoSlot, giveSlot, requestDemoSlot } from "./demo-slots.ts";
import {
  addressOf,
  demoDay,
  demoListing,
  demoRequests,
  demoTesters,
  demoTimezone,
  openTester,
} from "./demo-testing-content.ts";

export type SeedingDeps = CycleSeeding["deps"] & Pick<Deps, "files" | "keptFiles">;

interface DemoOwner {
  readonly appId: string;
  /** The hash of the owner's password, which the testers' accounts get, too. */
  readonly passwordHash: string;
  /** The test key of the tester who has a task today; a new one unless given. */
  readonly testKey?: string | undefined;
}

/**
 * Seeds a cycle of the demo's app that is on a day in its middle. It has days of every kind, and slot requests that wait.
 * The same rules change it day by day as change a real cycle.
 */
export async function seedTesting(
  deps: SeedingDeps,
  tx: Transaction,
  { appId, passwordHash, testKey }: DemoOwner,
): Promise<void> {
  const picture = await keepPicture(deps);
  await deps.keptFiles.keepFor([picture], async () => {
    const cycle = await planCycle(deps, tx, { appId, picture });
    await recordCycle({ deps, tx, cycle }, { passwordHash, testKey });
  });
  for (const topic of [cyclesTopic, slotsTopic]) tx.signal(topic);
}

async function keepPicture({ files }: Pick<Deps, "files">): Promise<DemoCycle["picture"]> {
  const bytes = demoPicture();
  const temporary = files.createTemporary(bytes.length);
  temporary.write(bytes);
  const written = await temporary.finish();
  return receivedFile({ ...written, declaredType: "image/png", name: "list.png", fault: null });
}

const [durationDays, maxMissedDays, seats] = [14, 3, 12];

/** Writes the listing, and a cycle that was planned two days before its first day. */
async function planCycle(
  { newId, clock }: Pick<Deps, "newId" | "clock">,
  tx: Transaction,
  { appId, picture }: Pick<DemoCycle, "appId" | "picture">,
): Promise<DemoCycle> {
  const plan = { startsOn: firstDay(clock.now()), timezone: demoTimezone, durationDays };
  const dayStarts = dayStartsOf(plan);
  const createdAt = later(dayStarts[0], -48 * hour);
  const listingId = newId();
  await listings.insert(tx, {
    ...demoListing,
    id: listingId,
    appId,
    iconUrl: null,
    screens: JSON.stringify(demoListing.screens),
    verificationTier: "sdk",
    seats,
    durationDays,
    maxMissedDays,
    createdAt,
    updatedAt: createdAt,
  });
  const cycle = { id: newId(), appId, dayStarts, picture };
  const days = { ...plan, maxMissedDays, dayStarts: JSON.stringify(dayStarts) };
  const state = { status: "recruiting", closedDays: 0, nextAt: dayStarts[0] ?? null } as const;
  await cycles.insert(tx, { id: cycle.id, listingId, ...days, ...state, createdAt });
  for (let seat = 1; seat <= seats; seat += 1)
    await dueChanges.openSlot(tx, { id: newId(), cycleId: cycle.id, seat, createdAt });
  return cycle;
}

/** The date of the first day, in the cycle's time zone. */
function firstDay(now: Date): string {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: demoTimezone }).format(now);
  return new Date(Date.parse(today) - (demoDay - 1) * 24 * hour).toISOString().slice(0, 10);
}

/** Records each day of the cycle up to today, and then the requests that wait. */
async function recordCycle(
  seeding: CycleSeeding,
  { passwordHash, testKey }: Omit<DemoOwner, "appId">,
): Promise<void> {
  const { deps, tx, cycle } = seeding;
  const testerIds = new Map<string, string>();
  for (const { name } of [...demoTesters, ...demoRequests])
    testerIds.set(name, await makeTester(seeding, { email: addressOf(name), passwordHash }));
  const idOf = (name: string) => testerIds.get(name) ?? "";
  const given: DemoSlot[] = [];
  for (let day = 0; day <= demoDay; day += 1) {
    const start = cycle.dayStarts[day - 1];
    await advanceCycle(deps, tx, { id: cycle.id, now: start ?? "" });
    const at = day === 0 ? later(cycle.dayStarts[0], -20 * hour) : later(start, 9 * hour);
    for (const tester of demoTesters.filter(({ from }) => from === day)) {
      const key = tester.name === openTester ? testKey : undefined;
      given.push(await giveSlot(seeding, { tester, testerId: idOf(tester.name), at, key }));
    }
    for (const slot of given) await recordDay(seeding, { ...slot, day });
  }
  const now = deps.clock.now().toISOString();
  await advanceCycle(deps, tx, { id: cycle.id, now });
  for (const { name, seat, askedHoursAgo } of demoRequests) {
    const expiresAt = later(now, requestMilliseconds - askedHoursAgo * hour);
    await requestDemoSlot(seeding, { seat, testerId: idOf(name), expiresAt });
  }
}

/** Makes the account of a tester, unless it is left from an earlier seeding. Gives its id. */
async function makeTester(
  { deps, tx, cycle }: CycleSeeding,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
): Promise<string> {
  const known = await users.findByEmail(tx, email);
  if (known) return known.id;
  const id = deps.newId();
  const createdAt = later(cycle.dayStarts[0], -40 * hour);
  await users.insert(tx, { id, email, passwordHash, createdAt, emailVerifiedAt: createdAt });
  return id;
}
