import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sqlite } from "../../../support/database/databases.ts";
import { randomFrom, runSeed } from "../../../support/random-seed.ts";
import { rounds } from "../../../support/torture.ts";
import { type Act, createActs } from "../../../support/worlds/servers/cached-acts.ts";
import {
  type CachedWorld,
  lookAt,
  lookAtOne,
  makeCachedWorld,
} from "../../../support/worlds/servers/cached-world.ts";
import { startCachingServers } from "../../../support/worlds/servers/caching-servers.ts";

/** The number of steps with the same app, before a new app is used. */
const stepsOfWorld = 50;

describe("answers that a server caches", () => {
  let place: Awaited<ReturnType<typeof startCachingServers>>;
  beforeAll(async () => {
    place = await startCachingServers(sqlite);
  });
  afterAll(() => place.stop());

  it("are correct immediately after a change is acknowledged", {
    timeout: 3_600_000,
  }, async () => {
    const random = randomFrom(runSeed);
    const below = (most: number) => Math.floor(random() * most);
    const { server, witness, later } = place;

    async function step(world: CachedWorld, name: string, act: Act): Promise<void> {
      const reading = Array.from({ length: below(8) }, () => lookAtOne(server, world, below(100)));
      await act(server);
      const [own, truth] = await Promise.all([lookAt(server, world), lookAt(witness, world)]);
      expect({ after: name, ...own }).toEqual({ after: name, ...truth });
      await Promise.all(reading);
    }

    for (let done = 0; done < rounds(50, 10_000); done += stepsOfWorld) {
      const world = await makeCachedWorld(server);
      const acts = Object.entries(createActs(world, later));
      for (let at = 0; at < stepsOfWorld; at += 1) {
        const [name, act] = acts[below(acts.length)] ?? ["", async () => {}];
        await step(world, name, act);
      }
    }
  });
});
