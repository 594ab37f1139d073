import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventually } from "../../../support/eventually.ts";
import { askRaw } from "../../../support/network/ask-raw.ts";
import { fc } from "../../../support/property.ts";
import { runSeed } from "../../../support/random-seed.ts";
import { openTwoListeners } from "../../../support/service/listeners.ts";
import { bytesOf, type Wanted, wantedRequests } from "../../../support/service/ready-requests.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { rounds } from "../../../support/torture.ts";
import {
  anyChange,
  makeReadableWorld,
  type ReadableWorld,
} from "../../../support/worlds/servers/readable-world.ts";
import { toNoon } from "../../../support/worlds/tester-in-running-cycle.ts";

/** 10,000 requests in the long form of the test, in several runs with new test data. */
const runs = rounds(4, 20);
const stepsOfRun = 500;

type Listeners = Awaited<ReturnType<typeof openTwoListeners>>;

describe("ready answers", () => {
  let service: Service;
  let listeners: Listeners;
  beforeAll(async () => {
    service = await startService();
    toNoon(service);
  });
  // New listeners for each run of the test, so that no log contains requests of an earlier run.
  beforeEach(async () => {
    listeners = await openTwoListeners(service);
  });
  afterEach(() => listeners.stop());
  afterAll(() => service.stop());

  it("have the same bytes as the answers of Koa, for all requests and changes", async () => {
    let count = 0;
    for (let run = 0; run < runs; run += 1) {
      await askInNewWorld({ service, listeners }, run, ({ step, ready, koa }) => {
        expect(ready, JSON.stringify(step)).toBe(koa);
        count += 1;
      });
    }
    expect(count).toBe(runs * stepsOfRun);
    expect(listeners.koa.readyAnswers()).toBe(0);
    expect(listeners.ready.readyAnswers()).toBeGreaterThan(count / 20);
  });

  it("are logged and counted as the answers of Koa are", async () => {
    await askInNewWorld({ service, listeners }, runs, () => {});
    expect(listeners.ready.readyAnswers()).toBeGreaterThan(0);
    // The log is written after the answers.
    await eventually(() => expect(listeners.ready.logged().length).toBe(listeners.koa.logged().length));
    expect(listeners.ready.logged()).toEqual(listeners.koa.logged());
    expect(await listeners.ready.counted()).toEqual(await listeners.koa.counted());
  });
});

interface Asked {
  readonly step: Step;
  readonly ready: string | undefined;
  readonly koa: string | undefined;
}

/** Sends the generated requests of a run to both listeners, between changes of new test data. */
async function askInNewWorld(
  { service, listeners }: { readonly service: Service; readonly listeners: Listeners },
  run: number,
  check: (asked: Asked) => void,
): Promise<void> {
  const etags = new Map<string, string>();
  const world = await makeReadableWorld(service, listeners.pass);
  const steps = fc.sample(stepOf(world), { numRuns: stepsOfRun, seed: runSeed + run });
  for (const step of steps) {
    if (step.change !== undefined) await world.changes[step.change]?.();
    const [ready, koa] = await askBoth(listeners, { step, world, etags });
    check({ step, ready, koa });
  }
}

interface Asking {
  readonly step: Step;
  readonly world: ReadableWorld;
  /** The last ETag of each address. */
  readonly etags: Map<string, string>;
}

/** Sends a request to both listeners. Returns the answers without ids and dates. */
async function askBoth(
  listeners: Listeners,
  { step: { wanted }, world, etags }: Asking,
): Promise<readonly string[]> {
  const addresses = world.readable();
  const readers = addresses[wanted.address % addresses.length] ?? [];
  const reader = readers[wanted.credential % readers.length];
  if (!reader) throw new Error("There is nothing to read.");
  const request = bytesOf(wanted, reader, etags.get(reader.path) ?? '"none"');
  const answers: string[] = [];
  for (const { baseUrl } of [listeners.ready, listeners.koa]) answers.push(await askRaw(baseUrl, request));
  const etag = /\r\nETag: (.+)\r\n/.exec(answers[1] ?? "")?.[1];
  if (etag !== undefined) etags.set(reader.path, etag);
  return answers.map((answer) => answer.replace(/\r\n(X-Request-Id|Date): .+/g, "\r\n$1:"));
}

/** A request, and the changes before it. */
interface Step {
  readonly change: string | undefined;
  readonly wanted: Wanted;
}

const stepOf = (world: ReadableWorld): fc.Arbitrary<Step> =>
  fc.record({
    change: fc.oneof(
      { weight: 7, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: anyChange(world) },
    ),
    wanted: wantedRequests,
  });
