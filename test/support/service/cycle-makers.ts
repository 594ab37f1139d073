import { v7 } from "uuid";
import { credentialsTopic, cyclesTopic, slotsTopic } from "../../../server/database/transaction.ts";
import type { Deps } from "../../../server/deps.ts";
import { hashOf, mintCredential } from "../../../server/secrets/secrets.ts";
import { dayIndexAt, dayStartsOf } from "../../../server/testing/days/rules.ts";
import { deviceScopes } from "../../../src/contract/endpoint.ts";

export interface ListingTraits {
  readonly screens: readonly string[];
  readonly seats: number;
  readonly durationDays: number;
  readonly maxMissedDays: number;
  readonly verificationTier: "sdk" | "screenshot";
  readonly iconUrl: string | null;
}

export interface CycleTraits {
  /** YYYY-MM-DD; by default today in its time zone. */
  readonly startsOn: string;
  readonly timezone: string;
}

/** Functions that create cycles, slots and testers' devices directly in the database. */
export function createCycleMakers({ database, clock, sealer, passingTime }: Deps) {
  const at = () => clock.now().toISOString();
  const dateIn = (timezone: string) =>
    new Intl.DateTimeFormat("en-CA", { timeZone: timezone }).format(clock.now());

  const makeListing = async (app: { id: string }, traits: Partial<ListingTraits> = {}) => {
    const listing = {
      id: v7(),
      durationDays: traits.durationDays ?? 14,
      maxMissedDays: traits.maxMissedDays ?? 3,
      seats: traits.seats ?? 12,
    };
    await database.insert("listings", {
      id: listing.id,
      app_id: app.id,
      app_name: "Lantern",
      icon_url: traits.iconUrl ?? null,
      package_name: "com.example.lantern",
      opt_in_url: "https://play.example/apps/testing/com.example.lantern",
      test_brief: "Light the lantern.",
      screens: JSON.stringify(traits.screens ?? ["Home", "Settings", "Map"]),
      seats: listing.seats,
      duration_days: listing.durationDays,
      max_missed_days: listing.maxMissedDays,
      verification_tier: traits.verificationTier ?? "sdk",
      created_at: at(),
      updated_at: at(),
    });
    return listing;
  };

  const makeCycle = async (
    listing: Awaited<ReturnType<typeof makeListing>>,
    { timezone = "UTC", startsOn = dateIn(timezone) }: Partial<CycleTraits> = {},
  ) => {
    const plan = { startsOn, timezone, durationDays: listing.durationDays };
    const dayStarts = dayStartsOf(plan);
    const cycle = { id: v7(), listingId: listing.id, ...plan, dayStarts };
    const slotIds = Array.from({ length: listing.seats }, () => v7());
    await database.write(async (tx) => {
      await tx.insert("cycles", {
        id: cycle.id,
        listing_id: listing.id,
        status: "recruiting",
        starts_on: startsOn,
        timezone,
        duration_days: plan.durationDays,
        max_missed_days: listing.maxMissedDays,
        day_starts: JSON.stringify(dayStarts),
        closed_days: 0,
        next_at: dayStarts[0] ?? null,
        created_at: at(),
      });
      for (const [index, id] of slotIds.entries())
        await tx.insert("slots", {
          id,
          cycle_id: cycle.id,
          seat: index + 1,
          status: "open",
          created_at: at(),
        });
      tx.signal(cyclesTopic);
    });
    await passingTime.catchUp();
    return { ...cycle, slotIds };
  };

  /** Assigns an open slot to a tester, as if an owner had accepted. Returns the slot's test key. */
  const giveSlot = async (
    cycle: Pick<
      Awaited<ReturnType<typeof makeCycle>>,
      "id" | "startsOn" | "timezone" | "durationDays" | "dayStarts"
    >,
    slotId: string,
    tester: { id: string },
  ) => {
    const testKey = mintCredential("stk_");
    const day = Math.max(0, dayIndexAt(cycle, at()));
    await database.write(async (tx) => {
      tx.signal(slotsTopic);
      await tx.run(
        `UPDATE slots SET status = 'active', tester_id = ?, activated_at = ?, active_from_day = ?,
           join_check_pending = 1, key_hash = ?, key_sealed = ? WHERE id = ?`,
        ...[tester.id, at(), day, hashOf(testKey), sealer.seal(testKey), slotId],
      );
    });
    return testKey;
  };

  /** A device of a tester, signed in. Returns its headers. */
  const makeDevice = async (tester: { id: string }, scopes: readonly string[] = deviceScopes) => {
    const token = mintCredential("sdt_");
    const expires = new Date(clock.now().getTime() + 90 * 86_400_000).toISOString();
    await database.write(async (tx) => {
      await tx.insert("devices", {
        id: v7(),
        device_id: v7(),
        user_id: tester.id,
        name: "Pixel 9",
        scopes: JSON.stringify(scopes),
        prefix: token.slice(0, 10),
        token_hash: hashOf(token),
        created_at: at(),
        expires_at: expires,
      });
      tx.signal(credentialsTopic);
    });
    return { authorization: `Bearer ${token}` };
  };

  return { makeListing, makeCycle, giveSlot, makeDevice };
}

export type CycleMakers = ReturnType<typeof createCycleMakers>;
