import { receivedFile } from "../../src/contract/received-file.ts";
import { advanceCycle } from "../background/advance-cycle.ts";
import type { Deps } from "../deps.ts";
import { requestMilliseconds } from "../domain/testing/slot.ts";
import { dayStartsOf } from "../domain/testing/test-days.ts";
import { users } from "../store/access/users.ts";
import type { Transaction } from "../store/engine/database.ts";
import { cyclesTopic } from "../store/engine/topics.ts";
import { cycles } from "../store/testing/cycles.ts";
import { dueChanges } from "../store/testing/due-changes.ts";
import { listings } from "../store/testing/listings.ts";
import { type DemoCycle, hour, later } from "./demo-cycle.ts";
import { liveDay } from "./demo-days.ts";
import { demoPicture } from "./demo-picture.ts";
import { type DemoSlot, giveSlot, requestDemoSlot } from "./demo-slots.ts";
import {
  addressOf,
  demoDay,
  demoListing,
  demoLives,
  demoRequests,
  demoTimezone,
} from "./demo-testing-content.ts";

/**
 * Offers the demo's app to testers: a run that is on a day in its middle, with every kind of day in it, and requests that
 * wait. It is lived day by day by the rules that real ones are. `passwordHash` is for the testers' accounts.
 */
export async function seedTesting(
  deps: Deps,
  tx: Transaction,
  { appId, passwordHash }: { readonly appId: string; readonly passwordHash: string },
): Promise<void> {
  const picture = await keepPicture(deps);
  await deps.keptFiles.keepFor([picture], async () => {
    const run = await planRun(deps, tx, appId, picture);
    await live(deps, tx, run, passwordHash);
  });
  tx.signal(cyclesTopic);
}

async function keepPicture({ files }: Deps): Promise<DemoCycle["picture"]> {
  const bytes = demoPicture();
  const temporary = files.createTemporary(bytes.length);
  temporary.write(bytes);
  const written = await temporary.finish();
  return receivedFile({ ...written, declaredType: "image/png", name: "list.png", fault: null });
}

/** Writes the listing, and a run that was planned two days before its first. */
async function planRun(
  { newId, clock }: Deps,
  tx: Transaction,
  appId: string,
  picture: DemoCycle["picture"],
): Promise<DemoCycle> {
  const [durationDays, maxMissedDays, seats] = [14, 3, 12];
  const plan = { startsOn: firstDay(clock.now()), timezone: demoTimezone, durationDays };
  const dayStarts = dayStartsOf(plan);
  const createdAt = later(dayStarts[0], -48 * hour);
  const listing = {
    ...demoListing,
    iconUrl: null,
    verificationTier: "sdk",
    createdAt,
    updatedAt: createdAt,
  } as const;
  const listingId = newId();
  const screens = JSON.stringify(demoListing.screens);
  await listings.insert(tx, {
    ...listing,
    id: listingId,
    appId,
    screens,
    seats,
    durationDays,
    maxMissedDays,
  });
  const standing = { status: "recruiting", closedDays: 0, nextAt: dayStarts[0] ?? null } as const;
  const run = { id: newId(), appId, dayStarts, picture };
  const days = { ...plan, maxMissedDays, dayStarts: JSON.stringify(dayStarts) };
  await cycles.insert(tx, { id: run.id, listingId, ...days, ...standing, createdAt });
  for (let seat = 1; seat <= seats; seat += 1)
    await dueChanges.openSlot(tx, { id: newId(), cycleId: run.id, seat, createdAt });
  return run;
}

/** The date, in the run's zone, of its first day. */
function firstDay(now: Date): string {
  const today = new Intl.DateTimeFormat("en-CA", { timeZone: demoTimezone }).format(now);
  return new Date(Date.parse(today) - (demoDay - 1) * 24 * hour).toISOString().slice(0, 10);
}

async function live(deps: Deps, tx: Transaction, run: DemoCycle, passwordHash: string): Promise<void> {
  const testerIds = new Map<string, string>();
  for (const name of [...demoLives, ...demoRequests].map((one) => one.name))
    testerIds.set(name, await tester(deps, tx, { email: addressOf(name), passwordHash, run }));
  const taken: DemoSlot[] = [];
  for (let day = 0; day <= demoDay; day += 1) {
    await advanceCycle(deps, tx, { id: run.id, now: run.dayStarts[day - 1] ?? "" });
    const at = day === 0 ? later(run.dayStarts[0], -20 * hour) : later(run.dayStarts[day - 1], 9 * hour);
    for (const life of demoLives.filter(({ from }) => from === day))
      taken.push(await giveSlot(deps, tx, run, { life, testerId: testerIds.get(life.name) ?? "", at }));
    for (const seat of taken) await liveDay(deps, tx, run, { ...seat, day });
  }
  const now = deps.clock.now().toISOString();
  await advanceCycle(deps, tx, { id: run.id, now });
  for (const { name, seat, askedHoursAgo } of demoRequests) {
    const expiresAt = later(now, requestMilliseconds - askedHoursAgo * hour);
    await requestDemoSlot(tx, run, { seat, testerId: testerIds.get(name) ?? "", expiresAt });
  }
}

/** The account of a tester, which is there already where the demo begins anew. Gives its id. */
async function tester(
  { newId }: Deps,
  tx: Transaction,
  {
    email,
    passwordHash,
    run,
  }: { readonly email: string; readonly passwordHash: string; readonly run: DemoCycle },
): Promise<string> {
  const known = await users.findByEmail(tx, email);
  if (known) return known.id;
  const id = newId();
  await users.insert(tx, { id, email, passwordHash, createdAt: later(run.dayStarts[0], -40 * hour) });
  return id;
}
