import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../../../support/database/databases.ts";
import { eventually } from "../../../../support/eventually.ts";
import { randomFrom, runSeed } from "../../../../support/random-seed.ts";
import { rounds } from "../../../../support/torture.ts";
import { type Act, createActs } from "../../../../support/worlds/servers/remembered-acts.ts";
import {
  lookAt,
  lookAtOne,
  makeRememberedWorld,
  type RememberedWorld,
} from "../../../../support/worlds/servers/remembered-world.ts";
import { startRememberingServers } from "../../../../support/worlds/servers/remembering-servers.ts";

/** Steps with the same app, before the next one begins. */
const stepsOfWorld = 50;

describe.each(databases)("answers that servers remember on $name", (engine) => {
  let place: Awaited<ReturnType<typeof startRememberingServers>>;
  beforeAll(async () => {
    place = await startRememberingServers(engine);
  });
  afterAll(() => place.stop());

  it("are true on the server that has acknowledged a change, and soon on the other", {
    timeout: 3_600_000,
  }, async () => {
    const random = randomFrom(runSeed);
    const below = (most: number) => Math.floor(random() * most);
    const { servers, witness, later } = place;
    const anyServer = () => servers[below(servers.length)] ?? witness;

    async function step(world: RememberedWorld, name: string, act: Act): Promise<void> {
      const writing = anyServer();
      const others = servers.filter((server) => server !== writing);
      const reading = Array.from({ length: below(8) }, () => lookAtOne(anyServer(), world, below(100)));
      await act(writing);
      const [own, truth] = await Promise.all([lookAt(writing, world), lookAt(witness, world)]);
      expect({ after: name, ...own }).toEqual({ after: name, ...truth });
      for (const other of others)
        await eventually(async () =>
          expect({ after: name, ...(await lookAt(other, world)) }).toEqual({ after: name, ...truth }),
        );
      await Promise.all(reading);
    }

    for (let done = 0; done < rounds(50, 10_000); done += stepsOfWorld) {
      const world = await makeRememberedWorld(servers[0] ?? witness);
      const acts = Object.entries(createActs(world, later));
      for (let at = 0; at < stepsOfWorld; at += 1) {
        const [name, act] = acts[below(acts.length)] ?? ["", async () => {}];
        await step(world, name, act);
      }
    }
  });
});
