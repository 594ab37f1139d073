import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Statistics } from "../../../../src/contract/statistics.ts";
import { databases } from "../../../support/database/databases.ts";
import { runSeed } from "../../../support/random-seed.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { torture } from "../../../support/torture.ts";
import { naiveNumbers } from "../../../support/worlds/counted-threads.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";
import { createMerger } from "../../../support/worlds/merged-threads.ts";

const runs = torture ? 40 : 4;
const acts = 60;
const period = { zone: "Europe/Berlin", from: "2026-03-20", to: "2026-04-10" };

describe.each(databases)("the statistics of threads that are merged and unmerged on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, still: true, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  it.each(Array.from({ length: runs }, (_, run) => runSeed + run))(
    "are equal to a count of each thread after each action, with the seed %i",
    async (seed) => {
      service.clock.setOffset(Date.parse("2026-03-25T06:10:00Z") - Date.now());
      const team = await makeTeam(service);
      const merger = createMerger(service, team, seed);
      for (let act = 0; act < acts; act++) {
        await merger.act();
        const read = await team.call("GET", `${team.at}/statistics?${new URLSearchParams(period)}`);
        const { perDay, firstReply, openByAge, top }: Statistics = Object(read.body);
        const counted = { perDay, openByAge, within: firstReply.within, none: firstReply.none };
        const naive = naiveNumbers(merger.known(), { ...period, now: service.clock.now().getTime() });
        const { agents: _, versions: __, top: mostRepeated, ...expected } = naive;
        expect(counted, `after ${act + 1} acts`).toEqual(expected);
        const counts = (all: readonly { readonly id: string; readonly count: number }[]) =>
          all.map(({ id, count }) => [id, count]);
        expect(counts(top)).toEqual(counts(mostRepeated));
      }
    },
    120_000,
  );
});
