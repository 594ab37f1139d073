import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { holdConnections } from "../../support/network/hostile-connections.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { postSlowly } from "../../support/network/slow-sender.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import { makeTesterInCycle, toNoon } from "../../support/worlds/tester-in-running-cycle.ts";

const path = "/api/v1/feedback/remote";
const json = { "Content-Type": "application/json" };
const report = { type: "bug", message: "See the picture.", images: [dataUrl(png(400_000))] };
const bodyBytesPerSecond = 131_072;

describe.each(databases)("slow uploads on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      engine,
      environment: { INNKEEP_RATE_LIMITS: "feedback=20/3600" },
      budgets: {
        uploads: 8,
        uploadsPerKey: 4,
        uploadTurnMilliseconds: 500,
        bodyPatienceMilliseconds: 1_500,
        bodyBytesPerSecond,
      },
    });
  });
  afterAll(() => service.stop());

  const headFor = (key: string) =>
    headOf("POST", path, { ...json, "x-api-key": key, "Content-Length": 1_000_000 });
  const upload = (key: string) =>
    service.request("POST", path, { headers: { "x-api-key": key }, body: report });

  it("with one key do not prevent an upload with another key", async () => {
    const [attacker, other] = [await service.makeApp(), await service.makeApp()];
    await holdConnections(service.baseUrl, 12, `${headFor(attacker.key)}{"type":"`);
    expect((await upload(other.key)).status).toBe(201);
    expect((await upload(attacker.key)).status).toBe(503);
  });

  it("with keys that use all upload places lose one place to each key that has none", async () => {
    const attackers = await Promise.all([service.makeApp(), service.makeApp(), service.makeApp()]);
    const other = await service.makeApp();
    for (const { key } of attackers) await holdConnections(service.baseUrl, 4, `${headFor(key)}{"type":"`);
    expect((await upload(other.key)).status).toBe(201);
  });

  it("with many keys of one owner, active or waiting, do not prevent an upload of another owner", async () => {
    const attacker = await service.makeUser();
    const apps = await Promise.all(Array.from({ length: 12 }, () => service.makeApp(attacker)));
    const other = await service.makeApp();
    for (const { key } of apps) await holdConnections(service.baseUrl, 8, `${headFor(key)}{"type":"`);
    expect((await upload(other.key)).status).toBe(201);
  });

  it("are ended if they are too slow, leave no file, and are counted in the limit", async () => {
    const { key } = await service.makeApp();
    const held = await holdConnections(service.baseUrl, 4, `${headFor(key)}{"type":"`);
    await expect.poll(() => held.received().every((text) => /^HTTP\/1\.1 503 /.test(text))).toBe(true);
    for (let n = 0; n < 16; n += 1) {
      const connection = await connectRaw(service.baseUrl);
      connection.write(`${headFor(key)}{"type":"`);
      await connection.cut();
    }
    await expect.poll(async () => (await upload(key)).status).toBe(429);
    expect((await filesIn(service.deps.settings.data)).filter((file) => file.includes("temporary"))).toEqual(
      [],
    );
  });

  it("at twice the minimum rate are accepted, even if they take longer than the allowed pause of a body", async () => {
    const { key } = await service.makeApp();
    const status = await postSlowly(service.baseUrl + path, {
      headers: { ...json, "x-api-key": key },
      body: Buffer.from(JSON.stringify(report)),
      bytesPerSecond: 2 * bodyBytesPerSecond,
    });
    expect(status).toBe(201);
  });
});

describe.concurrent.each(databases)("the upload of a proof on $name", (engine) => {
  // The long form sends the largest image with the default budgets.
  const bytes = rounds(262_144, 5_242_880);
  const minimum = rounds(65_536, 16_384);
  const budgets = { bodyPatienceMilliseconds: rounds(1_000, 15_000), bodyBytesPerSecond: minimum };

  it("at twice the minimum rate is accepted, even if it takes long", { timeout: 600_000 }, async ({
    onTestFinished,
  }) => {
    const service = await startService({ engine, budgets });
    onTestFinished(() => service.stop());
    toNoon(service);
    const { slotId, device } = await makeTesterInCycle(service);
    const form = new FormData();
    form.set("slotId", slotId);
    form.set("capturedAt", service.clock.now().toISOString());
    form.append("images", new Blob([new Uint8Array(png(bytes).bytes)], { type: "image/png" }), "shot.png");
    const encoded = new Response(form);
    const status = await postSlowly(`${service.baseUrl}/api/v1/testing/proofs`, {
      headers: { ...device, "Content-Type": encoded.headers.get("content-type") ?? "" },
      body: Buffer.from(await encoded.arrayBuffer()),
      bytesPerSecond: 2 * minimum,
    });
    expect(status).toBe(201);
  });
});
