import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import { gif, jpeg, png, webp } from "../../support/files/sample-files.ts";
import { faultyPaths } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedFiles } from "../../support/service/stored-content.ts";
import { evidenceOf, imagesOf } from "../../support/worlds/proof-evidence.ts";
import {
  dayMilliseconds,
  listOf,
  makeTesterInCycle,
  type ProofFields,
  sendProof,
  setClock,
  type TesterInCycle,
  toNoon,
} from "../../support/worlds/tester-in-running-cycle.ts";

const path = "/api/v1/testing/proofs";

describe.each(databases)("POST /api/v1/testing/proofs on $name", (engine) => {
  let service: Service;
  let world: TesterInCycle;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  beforeEach(async () => {
    toNoon(service);
    world = await makeTesterInCycle(service);
  });
  afterAll(() => service.stop());

  const submit = (fields: Partial<ProofFields> = {}) =>
    sendProof(service, world.device, { slotId: world.slotId, ...fields });
  const inSeconds = (seconds: number) =>
    new Date(service.clock.now().getTime() + seconds * 1_000).toISOString();
  const slotOf = async () =>
    listOf(await service.request("GET", "/api/v1/testing/me/slots", { headers: world.device }), "slots")[0];
  const refusal = (status: number, code: string) => ({ status, body: { code } });

  it("accepts a proof and counts the day", async () => {
    const answer = await submit();
    const receipt = { proofId: expect.any(String), slotId: world.slotId, dayIndex: 1, submitted: true };
    expect([answer.status, answer.body]).toEqual([201, receipt]);
    expect(answer.field("proofId")).toMatch(/^[0-9a-f-]{36}$/);
    expect(await slotOf()).toMatchObject({ lastProofDayIndex: 1, joinCheckPending: false });
  });

  it("makes a slot at risk active again, and keeps the missed days of the slot", async () => {
    service.clock.advance(2 * dayMilliseconds);
    expect(await slotOf()).toMatchObject({ status: "at_risk", missedDays: 1 });
    expect(await submit()).toMatchObject({ status: 201, body: { dayIndex: 3 } });
    expect(await slotOf()).toMatchObject({ status: "active", missedDays: 1 });
  });

  it("keeps the images in their order, and their details, as evidence for the owner", async () => {
    const images = [png(900), jpeg(), webp(), gif(), png(901), png(902)];
    const times = { capturedAt: inSeconds(-600), queuedAt: inSeconds(-300) };
    const { field } = await submit({ ...times, note: "  The lantern is lit. ", images });
    const day = await evidenceOf(service, world);
    const proof = { proofId: field("proofId"), ...times, note: "The lantern is lit." };
    expect(day).toMatchObject({ state: "counted", countedBy: "proof", proof });
    const served = await Promise.all(imagesOf(day).map(async (url) => (await fetch(url)).arrayBuffer()));
    expect(served.map((bytes) => Buffer.from(bytes))).toEqual(images.map(({ bytes }) => bytes));
  });

  it.each(["", "  "])("treats the queuedAt %j as missing", async (queuedAt) => {
    expect((await submit({ queuedAt })).status).toBe(201);
    expect(await evidenceOf(service, world)).toMatchObject({ state: "counted", proof: { queuedAt: null } });
  });

  it("accepts times in the formats of strftime and Java", async () => {
    const plain = inSeconds(-60);
    const capturedAt = plain.replace("Z", "+0000");
    const queuedAt = plain.replace(".", ",").replace("Z", "z[Europe/London]").replace("T", "t");
    expect((await submit({ capturedAt, queuedAt })).status).toBe(201);
    const proof = { capturedAt: plain, queuedAt: plain };
    expect(await evidenceOf(service, world)).toMatchObject({ proof });
  });

  it("serves images at secret addresses with the type of their bytes", async () => {
    await submit({ images: [jpeg()] });
    const [url = ""] = imagesOf(await evidenceOf(service, world));
    expect(url).toMatch(new RegExp(`^${service.baseUrl}/uploads/[\\w-]{43}\\.jpg$`));
    expect((await fetch(url)).headers.get("content-type")).toBe("image/jpeg");
  });

  it("accepts a proof with the verification tier sdk and with the tier screenshot", async () => {
    world = await makeTesterInCycle(service, { verificationTier: "screenshot" });
    expect((await submit()).status).toBe(201);
  });

  it("accepts an image without a declared type, by its bytes", async () => {
    expect((await submit({ images: [{ ...png(), mediaType: "" }] })).status).toBe(201);
  });

  it("accepts the text fields of a proof as files", async () => {
    const form = new FormData();
    const fields = { slotId: world.slotId, capturedAt: inSeconds(-60), note: "The lantern is lit." };
    for (const [name, text] of Object.entries(fields)) form.append(name, new Blob([text]), "blob");
    form.append("images", new Blob([new Uint8Array(png().bytes)]), "a.png");
    const answer = await service.request("POST", path, { headers: world.device, body: form });
    expect(answer.status).toBe(201);
    expect(await evidenceOf(service, world)).toMatchObject({ proof: { note: "The lantern is lit." } });
  });

  it("accepts a form of a client that declares no types", async () => {
    const form = await readFile(new URL("../../inputs/form-requests-proof.multipart", import.meta.url));
    const body = form
      .toString("latin1")
      .replace("00000000-0000-4000-8000-000000000000", world.slotId)
      .replace("2000-01-01T00:00:00.000Z", service.clock.now().toISOString());
    const type = "multipart/form-data; boundary=innkeep-test-boundary";
    const answer = await service.request("POST", "/api/v1/testing/proofs", {
      headers: { ...world.device, "content-type": type },
      body: new Uint8Array(Buffer.from(body, "latin1")),
    });
    expect(answer).toMatchObject({ status: 201, body: { submitted: true } });
  });

  describe("for today in the cycle's time zone", () => {
    it.each([
      { what: "now", at: 0 },
      { what: "this morning", at: -11 * 3_600 },
      { what: "130 seconds in the future", at: 130 },
      { what: "this evening", at: 11 * 3_600 },
    ])("accepts an image that was captured $what", async ({ at }) => {
      expect(await submit({ capturedAt: inSeconds(at) })).toMatchObject({
        status: 201,
        body: { dayIndex: 1 },
      });
    });

    it.each([
      { what: "tomorrow", at: 86_400, dayIndex: 3 },
      { what: "yesterday", at: -86_400, dayIndex: 1 },
      { what: "before the test", at: -3 * 86_400, dayIndex: -1 },
      { what: "after the test", at: 20 * 86_400, dayIndex: 22 },
    ])("refuses an image that was captured $what, and names its day", async ({ at, dayIndex }) => {
      service.clock.advance(dayMilliseconds);
      const answer = await submit({ capturedAt: inSeconds(at) });
      expect(answer).toMatchObject({ status: 422, body: { code: "out_of_window", dayIndex } });
    });

    it("determines the day in the cycle's time zone from a capture time with any offset", async () => {
      setClock(service, service.clock.now().toISOString().replace(/T.*/, "T15:30:00Z"));
      world = await makeTesterInCycle(service, { timezone: "Asia/Tokyo" });
      const date = service.clock.now().toISOString().slice(0, 10);
      const before = await submit({ capturedAt: `${date}T16:59:00+02:00` });
      expect(before).toMatchObject({ status: 422, body: { code: "out_of_window", dayIndex: 0 } });
      const after = await submit({ capturedAt: `${date}T17:10:00+02:00` });
      expect(after).toMatchObject({ status: 201, body: { dayIndex: 1 } });
    });
  });

  describe("names in its answer 400", () => {
    it.each<{ fields: Partial<ProofFields>; path: string }>([
      { fields: { slotId: "seven" }, path: "slotId" },
      { fields: { capturedAt: "2026-11-21T12:00:00" }, path: "capturedAt" },
      { fields: { capturedAt: "yesterday" }, path: "capturedAt" },
      { fields: { queuedAt: "2026-11-21" }, path: "queuedAt" },
      { fields: { note: "x".repeat(2_001) }, path: "note" },
      { fields: { images: Array.from({ length: 7 }, () => png()) }, path: "images" },
    ])("the faulty field $path", async ({ fields, path }) => {
      expect(faultyPaths(await submit(fields))).toEqual([path]);
    });

    it("all missing parts at once", async () => {
      const form = new FormData();
      form.set("note", "Nothing else.");
      const answer = await service.request("POST", path, { headers: world.device, body: form });
      expect(faultyPaths(answer)).toEqual(["capturedAt", "slotId"]);
    });

    it("a malformed form", async () => {
      const headers = { ...world.device, "content-type": "multipart/form-data; boundary=b" };
      const answer = await service.request("POST", path, { headers, body: "--b\r\nContent-Disp" });
      expect(faultyPaths(answer)).toEqual([""]);
    });
  });

  it("accepts a note of 2,000 characters", async () => {
    expect((await submit({ note: "x".repeat(2_000) })).status).toBe(201);
  });

  it("accepts only multipart/form-data", async () => {
    const body = { slotId: world.slotId, capturedAt: inSeconds(0), images: [] };
    const answer = await service.request("POST", path, { headers: world.device, body });
    expect(answer).toMatchObject(refusal(415, "unsupported_media_type"));
  });

  it("does not find the slot of another tester or an unknown slot, and stores nothing", async () => {
    const other = await makeTesterInCycle(service);
    const before = await storedFiles(service);
    for (const slotId of [other.slotId, world.open[0] ?? "", "00000000-0000-4000-8000-000000000000"])
      expect(await submit({ slotId })).toMatchObject(refusal(404, "not_found"));
    expect(await storedFiles(service)).toEqual(before);
  });

  it("deletes its images with the app, except images that another app also has", async () => {
    const other = await makeTesterInCycle(service);
    await sendProof(service, other.device, { slotId: other.slotId, images: [png(800)] });
    const before = (await storedFiles(service)).length;
    await submit({ images: [png(800), png(801), gif(802)] });
    expect(await storedFiles(service)).toHaveLength(before + 2);
    const headers = await service.signIn(world.owner);
    await service.request("DELETE", `/api/v1/console/apps/${world.app.id}`, { headers });
    await expect.poll(() => storedFiles(service)).toHaveLength(before);
    expect(await submit()).toMatchObject(refusal(404, "not_found"));
  });
});
