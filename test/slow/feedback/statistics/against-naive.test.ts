import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { countStored } from "../../../../server/database/schema/statistics.ts";
import { statistics } from "../../../../server/feedback/statistics/store.ts";
import { limits } from "../../../../src/contract/limits.ts";
import type { Statistics } from "../../../../src/contract/statistics.ts";
import { databases } from "../../../support/database/databases.ts";
import { runSeed } from "../../../support/random-seed.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { torture } from "../../../support/torture.ts";
import {
  createThreadMaker,
  type KnownThread,
  naiveNumbers,
  naiveWaits,
} from "../../../support/worlds/counted-threads.ts";
import { makeTeam, type Team } from "../../../support/worlds/members/team.ts";

const count = torture ? 10_000 : 2_000;
const atOnce = 250;
const from = Date.parse("2026-03-01T00:00:00Z");
const to = Date.parse("2026-05-01T00:00:00Z");
const now = Date.parse("2026-05-01T06:10:00Z");

const periods = [
  // In Berlin the clocks change on 29 March, on Lord Howe Island by half an hour on 5 April. India has half an hour.
  ["Europe/Berlin", "2026-03-20", "2026-04-18"],
  ["Europe/Berlin", "2026-03-29", "2026-03-29"],
  ["Asia/Kolkata", "2026-03-20", "2026-04-18"],
  ["Australia/Lord_Howe", "2026-03-20", "2026-04-18"],
  ["Australia/Lord_Howe", "2026-04-05", "2026-04-05"],
  ["America/St_Johns", "2025-06-01", "2026-06-01"],
] as const;

describe.each(databases)("the statistics of thousands of threads on $name", (engine) => {
  let service: Service;
  let team: Team;
  const threads: KnownThread[] = [];
  beforeAll(async () => {
    service = await startService({ engine, still: true });
    team = await makeTeam(service);
    service.clock.setOffset(now - Date.now());
    const make = createThreadMaker(team.app.id, { seed: runSeed, from, to });
    for (let made = 0; made < count; made += atOnce) {
      const some = await service.deps.database.write(async (tx) => {
        const found: (KnownThread | undefined)[] = [];
        for (let one = 0; one < atOnce; one++) found.push(await make(tx));
        return found;
      });
      threads.push(...some.filter((thread) => thread !== undefined));
    }
  }, 300_000);
  afterAll(() => service.stop());

  const read = async (zone: string, first: string, last: string): Promise<Statistics> => {
    const query = new URLSearchParams({ zone, from: first, to: last });
    const answer = await team.call("GET", `${team.at}/statistics?${query}`);
    expect(answer.status).toBe(200);
    return Object(answer.body);
  };

  const compared = ({ firstReply: { within, none }, agents, ...rest }: Statistics) => {
    const { medianDecisionMs: _, ...counts } = agents;
    const { from: _from, to: _to, zone: _zone, top, ...numbers } = rest;
    const named = top.map(({ number: _number, ...thread }) => thread);
    return { ...numbers, top: named, within, none, agents: counts };
  };

  it.each(periods)("are equal to a count of each thread, in %s from %s to %s", async (zone, first, last) => {
    const naive = naiveNumbers(threads, {
      zone,
      from: first,
      to: last,
      now: service.clock.now().getTime(),
    });
    expect(compared(await read(zone, first, last))).toEqual(naive);
  });

  it.each(periods)(
    "have waiting times in the range of the true ones, in %s from %s to %s",
    async (zone, first, last) => {
      const { firstReply, agents } = await read(zone, first, last);
      const waits = naiveWaits(threads, { zone, from: first, to: last });
      expect(rangeOf(firstReply.median)).toBe(rangeOf(quantile(waits.replies, 0.5)));
      expect(rangeOf(firstReply.p90)).toBe(rangeOf(quantile(waits.replies, 0.9)));
      expect(rangeOf(agents.medianDecisionMs)).toBe(rangeOf(quantile(waits.decisions, 0.5)));
    },
  );

  it("are the same after the counts of all connections were added", async () => {
    const [zone, first, last] = periods[3];
    const before = await read(zone, first, last);
    const { database } = service.deps;
    // Some of the threads were answered and resolved later than now.
    const later = { to: Math.floor(now / 900_000) + 400 * 96 };
    while ((await database.write((tx) => statistics.addUp(tx, later, 5_000))) > 0);
    expect(await read(zone, first, last)).toEqual(before);
    const counts = await database.all<{ slot: number }>(
      "SELECT slot FROM report_counts UNION SELECT slot FROM measure_counts",
    );
    expect(counts.map(({ slot }) => Number(slot))).toEqual([0]);
  });

  it("are those of the remaining threads if everything is counted again", async () => {
    const [zone, first, last] = periods[2];
    const { database } = service.deps;
    await database.write(async (tx) => {
      for (const table of ["report_counts", "measure_counts", "repeat_counts"])
        await tx.run(`DELETE FROM ${table}`);
      for (const statement of countStored(tx.engine, "SELECT id FROM apps")) await tx.run(statement);
    });
    const left = threads.filter(({ isDeleted }) => !isDeleted);
    const naive = naiveNumbers(left, { zone, from: first, to: last, now: service.clock.now().getTime() });
    expect(compared(await read(zone, first, last))).toEqual(naive);
  });
});

/** The percentile of the waiting times: this share of them is not longer. */
const quantile = (waits: readonly number[], part: number): number | null =>
  waits.toSorted((one, other) => one - other)[Math.ceil(waits.length * part) - 1] ?? null;

/** The range in which a waiting time is counted. A time above the last limit is shown as that limit. */
const rangeOf = (wait: number | null): number | null =>
  wait === null ? null : limits.waits.findIndex((limit) => Math.min(wait, longest) <= limit * 60_000);

const longest = Math.max(...limits.waits) * 60_000;
