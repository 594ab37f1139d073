import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTestingWorld, testingMutations } from "../../support/service/testing-mutations.ts";

const secret = "the secret of one deployment, on each of its servers";
const day = 86_400_000;

describe.each(databases)("the tasks of a tester in the cache of a server on $name", (engine) => {
  let database: TestDatabase;
  let service: Service;
  beforeAll(async () => {
    database = await engine.create();
    service = await startService({ database, secret, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  const tasks = async (from: Service, headers: Record<string, string>) =>
    (await from.request("GET", "/api/v1/testing/me/tasks", { headers })).text.replaceAll(from.baseUrl, "");

  /** The answer of a server that has just started, with an empty cache. */
  async function tasksAnew(headers: Record<string, string>): Promise<string> {
    const fresh = await startService({ database, secret });
    fresh.clock.setOffset(service.clock.offsetMs);
    const told = await tasks(fresh, headers);
    await fresh.stop();
    return told;
  }

  /** Changes that affect the tasks of the tester in the first slot. */
  const changing = new Set([
    "POST /api/v1/testing/sdk/session",
    "POST /api/v1/testing/proofs",
    "POST /api/v1/testing/slots/{slotId}/rotate-key",
    "PATCH /api/v1/console/listings/{listingId}",
    "POST /api/v1/console/cycles/{cycleId}/cancel",
    "POST /api/v1/console/slots/{slotId}/remove",
    "POST /api/v1/console/slots/{slotId}/rotate-key",
    "POST /api/v1/console/slots/{slotId}/confirm-join",
  ]);

  it.each(testingMutations)("are up to date after this change: $name", async ({ name, prepare }) => {
    const world = await makeTestingWorld(service);
    const send = await prepare(world);
    const before = await tasks(service, world.device);
    const { status } = await send(service);
    expect([200, 201, 204]).toContain(status);
    const after = await tasks(service, world.device);
    expect(after).toBe(await tasksAnew(world.device));
    expect(after !== before).toBe(changing.has(name));
  });

  it("are up to date after days have closed", async () => {
    const { device } = await makeTestingWorld(service);
    const first = await tasks(service, device);
    for (let at = 0; at < 3; at += 1) {
      service.clock.advance(day);
      expect(await tasks(service, device)).toBe(await tasksAnew(device));
    }
    service.clock.advance(-3 * day);
    expect(first).toContain('"slotStatus":"active"');
  });

  it("are removed with the app", async () => {
    const { app, owner, device } = await makeTestingWorld(service);
    await tasks(service, device);
    await service.request("DELETE", `/api/v1/console/apps/${app.id}`, {
      headers: await service.signIn(owner),
    });
    expect(await tasks(service, device)).toBe('{"tasks":[],"outstanding":0}');
  });
});
