import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sqlite, type TestEngine } from "../../support/database/databases.ts";
import { type FailingDriver, failingDriver } from "../../support/database/failing-driver.ts";
import { isReplay, keyed, mutations, stateOf } from "../../support/service/mutations.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTestingWorld, testingMutations } from "../../support/service/testing-mutations.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

/** A function that sends a request with a change, and one that reads what it could have changed. */
interface Ready {
  readonly send: (headers: Record<string, string>) => Promise<Answer>;
  readonly state: () => Promise<string>;
}

type Prepare = (service: Service) => Promise<Ready>;

const changes: readonly (readonly [string, Prepare])[] = [
  ...mutations.map(({ name, prepare }): [string, Prepare] => [
    name,
    async (service) => {
      const cast = await makeAppWithAgent(service);
      const send = await prepare(service, cast);
      return { send, state: () => stateOf(service, cast) };
    },
  ]),
  ...testingMutations.map(({ name, prepare }): [string, Prepare] => [
    name,
    async (service) => {
      const world = await makeTestingWorld(service);
      const send = await prepare(world);
      return {
        send: (headers) => send(service, headers),
        state: () => slotsOf(service, world.listing.id),
      };
    },
  ]),
];

/** The listing, its cycles, their slots, proofs and sessions, without times and secrets. */
async function slotsOf({ deps: { database } }: Service, listingId: string): Promise<string> {
  const slots = "SELECT slots.id FROM slots JOIN cycles ON cycles.id = cycle_id WHERE listing_id = ?";
  const all = [
    "SELECT id, app_name FROM listings WHERE id = ?",
    "SELECT id, status FROM cycles WHERE listing_id = ? ORDER BY id",
    `SELECT id, status, tester_id, key_hash FROM slots WHERE id IN (${slots}) ORDER BY id`,
    `SELECT id FROM proofs WHERE slot_id IN (${slots}) ORDER BY id`,
    `SELECT id FROM test_sessions WHERE slot_id IN (${slots}) ORDER BY id`,
  ];
  return JSON.stringify(await Promise.all(all.map((sql) => database.all(sql, listingId))));
}

describe("a request whose statement N fails with an I/O error", () => {
  let disk: FailingDriver;
  let service: Service;
  beforeAll(async () => {
    disk = await failingDriver();
    const engine: TestEngine = {
      ...sqlite,
      async create() {
        const place = await sqlite.create();
        return { ...place, open: (options) => place.open({ ...options, driver: disk.driver }) };
      },
    };
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  it.each(changes)(
    "has no effect or the whole effect for every N: %s",
    { timeout: 300_000 },
    async (_, prepare) => {
      let hit = true;
      // A request that shares its transaction with another write is tried again alone, and may then succeed.
      let hits = 0;
      for (let nth = 1; hit; nth += 1) {
        const { send, state } = await prepare(service);
        const before = await state();
        disk.failAt(nth);
        const answer = await send(keyed("once"));
        hit = disk.hasFailed();
        if (hit) hits += 1;
        disk.failAt(Number.POSITIVE_INFINITY);
        if (answer.status >= 300) {
          expect([500, 503]).toContain(answer.status);
          expect({ nth, state: await state() }).toEqual({ nth, state: before });
        }
        const again = await send(keyed("once"));
        expect({ nth, status: again.status, text: again.text }).toMatchObject({
          nth,
          status: expect.toSatisfy((status: number) => status < 300),
        });
        if (answer.status < 300)
          expect({ nth, same: again.text === answer.text, isReplay: isReplay(again) }).toEqual({
            nth,
            same: true,
            isReplay: true,
          });
      }
      expect(hits).toBeGreaterThan(0);
    },
  );
});
