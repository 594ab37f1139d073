import { v7 } from "uuid";
import type { CycleTraits, ListingTraits } from "../service/cycle-makers.ts";
import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";

export const sdkPath = "/api/v1/testing/sdk/session";

/** The first day of the cycles, and its noon in UTC. */
const firstDay = "2027-03-01";
export const noon = "2027-03-01T12:00:00.000Z";

export interface SessionTraits {
  /** Default: `seconds` before the clock's time. */
  readonly startedAt?: string;
  readonly seconds?: number;
  readonly screens?: readonly string[];
  readonly testKey?: string;
  readonly appVersion?: string;
}

export type AppWithTester = Awaited<ReturnType<typeof makeAppWithTester>>;

/** Sets the clock of a service. */
export function setClock({ clock }: Service, instant: string): void {
  clock.advance(Date.parse(instant) - clock.now().getTime());
}

/** The instant this many seconds after the clock's time; before it if negative. */
export const fromNow = ({ clock }: Service, seconds: number): string =>
  new Date(clock.now().getTime() + seconds * 1_000).toISOString();

/**
 * An app with a cycle of fourteen days and one tester who has just got a slot: functions that send what the app sends
 * and read what is stored.
 */
export async function makeAppWithTester(
  service: Service,
  traits: Partial<ListingTraits> & Partial<CycleTraits> = {},
) {
  const app = await service.makeApp();
  const listing = await service.makeListing(app, { seats: 2, ...traits });
  const cycle = await service.makeCycle(listing, { startsOn: firstDay, ...traits });
  const [slotId = "", otherSlotId = ""] = cycle.slotIds;
  const tester = await service.makeUser();
  const testKey = await service.giveSlot(cycle, slotId, tester);
  const key = { "x-api-key": app.key };
  const { database } = service.deps;

  const sessionOf = ({ seconds = 60, ...given }: SessionTraits = {}) => {
    const startedAt = given.startedAt ?? fromNow(service, -seconds);
    const endedAt = new Date(Date.parse(startedAt) + seconds * 1_000).toISOString();
    return { testKey, screens: ["Home", "Map"], ...given, startedAt, endedAt };
  };
  return {
    app,
    cycle,
    slotId,
    otherSlotId,
    tester,
    testKey,
    key,
    sessionOf,
    /** Reports a session of this slot, to another server if one is given. */
    report: (session: SessionTraits = {}, headers: Record<string, string> = {}, to = service) =>
      to.request("POST", sdkPath, { headers: { ...key, ...headers }, body: sessionOf(session) }),
    status: (asked: string = testKey, headers: Record<string, string> = {}): Promise<Answer> =>
      service.request("GET", `${sdkPath}?testKey=${encodeURIComponent(asked)}`, {
        headers: { ...key, ...headers },
      }),
    /** The sessions that were recorded for this slot, in their order. */
    recorded: () =>
      database.all<{ dayIndex: number | null; reason: string | null; screens: string }>(
        `SELECT day_index AS "dayIndex", reason, screens, app_version AS "appVersion", started_at AS "startedAt",
           ended_at AS "endedAt" FROM test_sessions WHERE slot_id = ? ORDER BY received_at, id`,
        slotId,
      ),
    slot: () =>
      database.get<{ status: string; missedDays: number; joinCheckPending: number }>(
        `SELECT status, missed_days AS "missedDays", join_check_pending AS "joinCheckPending"
         FROM slots WHERE id = ?`,
        slotId,
      ),
    setSlot: (status: string) =>
      database.write((tx) => tx.run("UPDATE slots SET status = ? WHERE id = ?", status, slotId)),
    setCycle: (status: string) =>
      database.write((tx) => tx.run("UPDATE cycles SET status = ? WHERE id = ?", status, cycle.id)),
  };
}

/** A test key of the correct form that no slot has ever had. */
export const neverAKey = (): string => `stk_${v7().replaceAll("-", "")}`;
