import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { randomName } from "../../../../server/secrets/secrets.ts";
import { sqlite } from "../../../support/database/databases.ts";
import { tracedDatabase } from "../../../support/database/traced-database.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { approve, exchange, newDevice } from "../../../support/sign-in/device-sign-in.ts";
import { rounds, torture } from "../../../support/torture.ts";

const traced = tracedDatabase(sqlite);
type Device = Awaited<ReturnType<typeof newDevice>>;
interface Attempt {
  readonly device: Device;
  readonly code: string;
}

describe("an exchange of a sign-in code that is refused with invalid_code", () => {
  let service: Service;
  let person: Record<string, string>;
  beforeAll(async () => {
    service = await startService({ engine: traced.engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    person = await service.signIn(await service.makeUser());
  });
  afterAll(() => service.stop());

  const approved = async (): Promise<Attempt> => {
    const device = await newDevice();
    return { device, code: await approve(service, person, device) };
  };
  /** The five causes: each returns the request that is sent repeatedly. */
  const causes: Record<string, () => Promise<Attempt>> = {
    unknown: async () => ({ device: await newDevice(), code: randomName() }),
    expired: async () => {
      const attempt = await approved();
      await service.deps.database.write((tx) =>
        tx.run(
          "UPDATE sign_in_codes SET expires_at = '2020-01-01T00:00:00.000Z' WHERE device_id = ?",
          attempt.device.deviceId,
        ),
      );
      return attempt;
    },
    used: async () => {
      const attempt = await approved();
      expect((await exchange(service, attempt.device, attempt.code)).status).toBe(201);
      return attempt;
    },
    "of another device": async () => {
      const { device, code } = await approved();
      return { device: { ...device, deviceId: randomName() }, code };
    },
    "with another verifier": async () => {
      const { device, code } = await approved();
      return { device: { ...device, verifier: randomName() }, code };
    },
  };

  async function attempts(): Promise<(readonly [string, Attempt])[]> {
    const made: (readonly [string, Attempt])[] = [];
    for (const [cause, make] of Object.entries(causes)) made.push([cause, await make()]);
    return made;
  }

  it("causes the same SQL statements for every cause", async () => {
    const costs = new Map<string, readonly string[]>();
    for (const [cause, { device, code }] of await attempts())
      costs.set(
        cause,
        await traced.during(async () =>
          expect((await exchange(service, device, code)).status, cause).toBe(400),
        ),
      );
    const [first] = costs.values();
    expect(first?.length).toBeGreaterThan(0);
    for (const [cause, cost] of costs) expect({ cause, cost }).toEqual({ cause, cost: first });
  });

  // On a busy machine times are not reliable. Only the long form of the tests, on an idle machine, checks them.
  if (torture)
    it("takes the same time for every cause", { timeout: 600_000 }, async () => {
      const all = await attempts();
      const times = new Map(all.map(([cause]) => [cause, [] as number[]]));
      for (let round = 0; round < rounds(0, 2_000); round += 1)
        for (const [cause, { device, code }] of shuffled(all, round)) {
          const began = performance.now();
          await exchange(service, device, code);
          times.get(cause)?.push(performance.now() - began);
        }
      const samples = [...times.values()].map(withoutOutliers);
      for (const one of samples)
        for (const other of samples) expect(Math.abs(welch(one, other))).toBeLessThan(4.5);
    });
});

/** The causes in another order each round, so that no cause always follows the same one. */
const shuffled = <Item>(items: readonly Item[], round: number): Item[] =>
  items
    .map((_, at) => items[(at * ((round % 4) + 1) + round) % items.length])
    .filter((item) => item !== undefined);

/** The faster nine tenths: the rest contains delays by other work of the machine. */
const withoutOutliers = (times: readonly number[]): number[] =>
  times.toSorted((a, b) => a - b).slice(0, Math.floor(times.length * 0.9));

function welch(one: readonly number[], other: readonly number[]): number {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const error = (values: readonly number[]) => {
    const middle = mean(values);
    return (
      values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1) / values.length
    );
  };
  return (mean(one) - mean(other)) / Math.sqrt(error(one) + error(other));
}
