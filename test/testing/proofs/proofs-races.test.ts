import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases, sharedDatabases, type TestDatabase } from "../../support/database/databases.ts";
import { gif, png } from "../../support/files/sample-files.ts";
import { removableFolder } from "../../support/files/temporary-folder.ts";
import { isReplay, keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedFiles } from "../../support/service/stored-content.ts";
import { evidenceOf, imagesOf } from "../../support/worlds/proof-evidence.ts";
import {
  makeTesterInCycle,
  type ProofFields,
  sendProof,
  setStatus,
  type TesterInCycle,
  toNoon,
} from "../../support/worlds/tester-in-running-cycle.ts";

const secret = "the secret of one deployment, on each of its servers";

describe.each(databases)("proofs that arrive at the same time on $name", (engine) => {
  let database: TestDatabase;
  let service: Service;
  let world: TesterInCycle;
  beforeAll(async () => {
    database = await engine.create();
    service = await open();
  });
  beforeEach(async () => {
    toNoon(service);
    world = await makeTesterInCycle(service);
  });
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  const open = () => startService({ database, secret, environment: { INNKEEP_RATE_LIMITS: "off" } });
  const capturedAt = () => service.clock.now().toISOString();
  const submit = (fields: Partial<ProofFields> = {}, headers: Record<string, string> = world.device) =>
    sendProof(service, headers, { slotId: world.slotId, ...fields });
  /** Runs `act` with another server of the same database, whose clock agrees. */
  const onAnother = async <Result>(act: (other: Service) => Promise<Result>): Promise<Result> => {
    const other = await open();
    other.clock.advance(service.clock.now().getTime() - other.clock.now().getTime());
    return act(other).finally(() => other.stop());
  };

  it("count once: one of 100 is accepted, and only its images are kept", async () => {
    const before = (await storedFiles(service)).length;
    const images = Array.from({ length: 100 }, (_, at) => png(500 + at));
    const answers = await Promise.all(images.map((image) => submit({ images: [image] })));
    const taken = answers.flatMap(({ status }, at) => (status === 201 ? [at] : []));
    expect(taken).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 201);
    for (const answer of refused)
      expect(answer).toMatchObject({ status: 409, body: { code: "already_submitted", dayIndex: 1 } });
    // On a busy machine the other images are removed after their answers.
    await expect.poll(() => storedFiles(service)).toHaveLength(before + 1);
    const [url = ""] = imagesOf(await evidenceOf(service, world));
    const served = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(served).toEqual(images[taken[0] ?? 0]?.bytes);
  });

  it("count once if all have the same image, which is kept", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => submit({ images: [gif(700)] })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    const [url = ""] = imagesOf(await evidenceOf(service, world));
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(gif(700).bytes);
  });

  it("count once if they arrive at two servers", async () => {
    const answers = await onAnother((other) =>
      Promise.all(
        [service, other, service, other].map((server) =>
          sendProof(server, world.device, { slotId: world.slotId }),
        ),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  });

  describe("with one Idempotency-Key", () => {
    const once = () => ({ ...world.device, ...keyed("once") });

    it("get the stored receipt again, also on another server and after a restart", async () => {
      const sent = { slotId: world.slotId, capturedAt: capturedAt(), images: [png(5_000), gif()] };
      const first = await submit(sent, once());
      const again = await onAnother((other) => sendProof(other, once(), sent));
      expect([first.status, again.status, again.text, isReplay(again)]).toEqual([201, 201, first.text, true]);
    });

    it.each<{ what: string; change: Partial<ProofFields> }>([
      { what: "another picture", change: { images: [png(600)] } },
      { what: "one picture more", change: { images: [png(), png()] } },
      { what: "another note", change: { note: "Not so." } },
      { what: "another time", change: { capturedAt: "2020-01-01T00:00:00Z" } },
    ])("are refused with 422 if the second has $what", async ({ change }) => {
      const sent = { capturedAt: capturedAt() };
      await submit(sent, once());
      const other = await submit({ ...sent, ...change }, once());
      expect(other).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
    });

    it("get the stored slot_not_active, even if the slot is active again", async () => {
      const sent = { slotId: world.slotId, capturedAt: capturedAt() };
      await setStatus(service, world.slotId, "removed");
      const first = await submit(sent, once());
      await setStatus(service, world.slotId, "active");
      const again = await onAnother((other) => sendProof(other, once(), sent));
      expect(first).toMatchObject({ status: 403, body: { code: "slot_not_active" } });
      expect([again.status, again.text, isReplay(again)]).toEqual([403, first.text, true]);
    });

    it("do not store an answer 400, so that a corrected proof is accepted", async () => {
      const sent = { capturedAt: capturedAt() };
      const first = await submit({ ...sent, images: [] }, once());
      const mended = await submit(sent, once());
      expect([first.status, mended.status, isReplay(mended)]).toEqual([400, 201, false]);
    });

    it("do not return another tester's stored answer", async () => {
      const other = await makeTesterInCycle(service);
      const answers = [
        await submit({}, once()),
        await submit({ slotId: other.slotId }, { ...other.device, ...keyed("once") }),
      ];
      expect(answers.map((answer) => [answer.status, isReplay(answer)])).toEqual([
        [201, false],
        [201, false],
      ]);
    });
  });
});

describe.each(sharedDatabases)(
  "a proof that arrives at two servers with one PostgreSQL database and one folder at the same time",
  (postgres) => {
    it("keeps its images, whichever server accepts it", async () => {
      const [database, folder] = [await postgres.create(), await removableFolder()];
      const open = () => startService({ database, secret, settings: { data: folder.path } });
      const [one, two] = [await open(), await open()];
      const evidence: number[] = [];
      for (const at of Array.from({ length: 12 }, (_, round) => 900 + round)) {
        const world = await makeTesterInCycle(one);
        const sent = { slotId: world.slotId, capturedAt: one.clock.now().toISOString(), images: [png(at)] };
        const headers = { ...world.device, ...keyed("once") };
        await Promise.all([one, two].map((server) => sendProof(server, headers, sent)));
        for (const url of imagesOf(await evidenceOf(one, world))) evidence.push((await fetch(url)).status);
      }
      expect(evidence).toEqual(Array(12).fill(200));
      await Promise.all([one.stop(), two.stop()]);
      await database.remove();
      await folder.remove();
    });
  },
);
