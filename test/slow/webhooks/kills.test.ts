import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createSealer, sealAddress } from "../../../server/secrets/secrets.ts";
import { newWebhookSecret } from "../../../src/words/webhook-signature.ts";
import { databases } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { openReceiver, verified } from "../../support/network/event-receiver.ts";
import { type ChildProgram, childProgram } from "../../support/programs/child-program.ts";
import { startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";

const secret = "s".repeat(32);
const events = rounds(400, 10_000);
const kills = rounds(6, 40);

let program: ChildProgram;
beforeAll(async () => {
  program = await childProgram(join(import.meta.dirname, "../../support/programs/event-sender.ts"));
});
afterAll(() => program.remove());

describe.each(databases)("a server on $name that is killed during the sending of events", (engine) => {
  it(`loses none of ${events}, even if it is killed ${kills} times`, { timeout: 1_800_000 }, async () => {
    const { receiver, stop } = await openReceiver();
    onTestFinished(stop);
    const place = await engine.create();
    onTestFinished(() => place.remove());
    const service = await startService({ database: place, secret });
    const owner = await service.makeUser();
    const { id: appId } = await service.makeApp(owner);
    const signing = newWebhookSecret();
    const sealer = createSealer(secret);
    await service.deps.database.insert("webhooks", {
      ...{ id: service.deps.newId(), app_id: appId, created_at: new Date().toISOString() },
      ...{ url: sealAddress(sealer, receiver.url), secret: sealAddress(sealer, signing) },
    });
    await service.stop();
    const start = (from: number) =>
      program.start({
        SENDER: JSON.stringify({
          ...{ address: place.address, data: "/nowhere", secret, appId, from, until: events },
        }),
      });
    const acknowledged = new Set<number>();
    const firstMissing = () => {
      let number = 0;
      while (acknowledged.has(number)) number += 1;
      return number - (number % 20);
    };
    for (let kill = 0; kill < kills; kill += 1) {
      const running = start(firstMissing());
      await running.printed(Math.ceil(events / kills / 2)).catch(() => undefined);
      await running.kill();
      for (const line of running.lines) if (line !== "done") acknowledged.add(Number(line));
    }
    const last = start(firstMissing());
    onTestFinished(() => last.kill());
    await last.printed(1).catch(() => undefined);
    await eventually(() => expect(last.lines.at(-1)).toBe("done"));
    for (const line of last.lines) if (line !== "done") acknowledged.add(Number(line));
    expect(acknowledged.size).toBeGreaterThanOrEqual(events);
    const told = () => new Set(receiver.received.map(({ data }) => Number(data.number)));
    // Events that a killed server had reserved are sent a minute later.
    const untold = () => {
      const seen = told();
      return [...acknowledged].filter((number) => !seen.has(number));
    };
    await expect.poll(untold, { timeout: 900_000, interval: 1_000 }).toEqual([]);
    for (const message of receiver.received.slice(0, 100)) verified(signing, message);
    // A delivery is repeated only if its server was killed before it stored the answer.
    const again = receiver.received.length - new Set(receiver.received.map(({ id }) => id)).size;
    expect(again).toBeLessThanOrEqual(8 * kills);
  });
});
