import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits, proofImages, rateLimits } from "../../../src/contract/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { png } from "../../support/files/sample-files.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { unknownId } from "../../support/service/endpoints.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { isReplay, keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedFiles } from "../../support/service/stored-content.ts";
import {
  makeTesterInCycle,
  type ProofFields,
  sendProof,
  type TesterInCycle,
  toNoon,
} from "../../support/worlds/tester-in-running-cycle.ts";

const perSlot = rateLimits.proofsBySlot.limit;
const perAccount = rateLimits.proofsByAccount.limit;
const path = "/api/v1/testing/proofs";

describe("the limit of proofs", () => {
  let service: Service;
  let world: TesterInCycle;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    toNoon(service);
    world = await makeTesterInCycle(service);
  });
  afterAll(() => service.stop());

  const submit = (fields: Partial<ProofFields> = {}, headers: Record<string, string> = world.device) =>
    sendProof(service, headers, { slotId: world.slotId, ...fields });
  const times = <Result>(count: number, act: (at: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: count }, (_, at) => act(at)));
  const useUpSlot = () => times(perSlot, () => submit({ images: [] }));
  const useUpAccount = () =>
    times(perAccount, (at) => submit({ slotId: `${unknownId.slice(0, -3)}${100 + at}`, images: [] }));
  const limited = { status: 429, body: { code: "rate_limited" } };

  describe("for a slot, 12 an hour,", () => {
    it("accepts the 12th, and accepts the 13th exactly when Retry-After has passed", async () => {
      await times(perSlot - 1, () => submit({ images: [] }));
      expect((await submit()).status).toBe(201);
      const refused = await submit();
      expect(refused).toMatchObject(limited);
      const seconds = Number(refused.headers.get("retry-after"));
      expect([seconds > 3_500, seconds <= 3_600]).toEqual([true, true]);
      service.clock.advance((seconds - 10) * 1_000);
      expect(await submit()).toMatchObject(limited);
      service.clock.advance(10_000);
      expect(await submit()).toMatchObject({ status: 409, body: { code: "already_submitted" } });
    });

    it("counts every attempt with any result", async () => {
      const attempts = [{ capturedAt: "never" }, { images: [] }, { capturedAt: "2020-01-01T00:00:00Z" }];
      for (const fields of attempts) await times(perSlot / 3, () => submit(fields));
      expect(await submit()).toMatchObject(limited);
    });

    it("counts a slot as one slot in any spelling of its id", async () => {
      await times(perSlot, () => submit({ slotId: world.slotId.toUpperCase(), images: [] }));
      expect(await submit()).toMatchObject(limited);
    });

    it("does not affect the other slots of the tester or other testers", async () => {
      await useUpSlot();
      const other = await makeTesterInCycle(service);
      const [slotId = ""] = other.open;
      await service.giveSlot(other.cycle, slotId, world.tester);
      expect((await submit({ slotId })).status).toBe(201);
      expect(await submit({}, other.device)).toMatchObject({ status: 404 });
    });

    it("accepts exactly 12 of 30 proofs that arrive at the same time", async () => {
      const answers = await times(30, () => submit({ images: [] }));
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(perSlot);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(30 - perSlot);
    });

    it("does not count a repeat with an Idempotency-Key, and answers it above the limit", async () => {
      const once = { ...world.device, ...keyed("once") };
      const first = await submit({ capturedAt: service.clock.now().toISOString() }, once);
      const sent = { capturedAt: "2020-01-01T00:00:00Z" };
      const refused = { ...world.device, ...keyed("other") };
      await submit(sent, refused);
      await times(20, () => submit(sent, refused));
      const others = await times(perSlot - 2, () => submit({ images: [] }));
      expect(others.filter((answer) => answer.status === 429)).toEqual([]);
      expect(await submit()).toMatchObject(limited);
      const again = await submit(sent, refused);
      expect([first.status, again.status, isReplay(again)]).toEqual([201, 422, true]);
    });
  });

  describe("for an account, 120 an hour,", () => {
    it("checks the 120th proof and not the 121st, over all slots and devices", async () => {
      const all = await useUpAccount();
      expect(all.filter(({ status }) => status !== 404)).toEqual([]);
      expect(await submit()).toMatchObject(limited);
      expect(await submit({}, await service.makeDevice(world.tester))).toMatchObject(limited);
    });

    it("refuses a large body above the limit before a byte of it is read", async () => {
      await useUpAccount();
      const raw = await connectRaw(service.baseUrl);
      raw.write(headOf("POST", path, large(2 * 1_048_576)));
      expect(await raw.read(/rate_limited/)).toContain("HTTP/1.1 429");
      await raw.cut();
    });

    it("reads a large body that may be a repeat, and returns the stored response", async () => {
      const images = [png(200_000)];
      const sent = { images, capturedAt: service.clock.now().toISOString() };
      const once = { ...world.device, ...keyed("once") };
      const first = await submit(sent, once);
      await useUpAccount();
      const again = await submit(sent, once);
      expect([again.status, again.text, isReplay(again)]).toEqual([201, first.text, true]);
    });
  });

  describe("for the images", () => {
    it("accepts six images of exactly 5 MB", async () => {
      const images = Array.from({ length: proofImages.most }, () => png(proofImages.bytes));
      expect((await submit({ images })).status).toBe(201);
    });

    it("refuses an image with one byte more as bad_image in the order of the errors, and stores nothing", async () => {
      const before = await storedFiles(service);
      const images = [png(), png(proofImages.bytes + 1)];
      const answer = await submit({ images });
      expect(answer).toMatchObject({ status: 400, body: { code: "bad_image", dayIndex: 1 } });
      expect(issuesOf(answer)).toEqual([`images.1: must be at most ${proofImages.bytes} bytes`]);
      const early = await submit({ images, capturedAt: "2020-01-01T00:00:00Z" });
      expect(early).toMatchObject({ status: 422, body: { code: "out_of_window" } });
      expect(await storedFiles(service)).toEqual(before);
    });

    it("refuses seven images with 400, and stores nothing", async () => {
      const before = await storedFiles(service);
      const answer = await submit({ images: Array.from({ length: proofImages.most + 1 }, () => png()) });
      expect(issuesOf(answer)).toEqual(["images: must be at most 6 files"]);
      expect(await storedFiles(service)).toEqual(before);
    });
  });

  describe("for the whole body", () => {
    it("refuses a body with 413 that declares too large a size, before a byte of it is read", async () => {
      const raw = await connectRaw(service.baseUrl);
      raw.write(headOf("POST", path, large(limits.proof + 1)));
      expect(await raw.read(/payload_too_large/)).toContain("HTTP/1.1 413");
      await raw.cut();
    });

    it("refuses a body with 413 that becomes too large, and stores nothing", async () => {
      const before = await storedFiles(service);
      const images = [png(limits.proof - 1_000), png(2_000)];
      expect(await submit({ images })).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
      expect(await storedFiles(service)).toEqual(before);
    });

    it("leaves no file of an incomplete body", async () => {
      const before = (await storedFiles(service)).length;
      const raw = await connectRaw(service.baseUrl);
      raw.write(headOf("POST", path, large(200_000)));
      raw.write('--b\r\nContent-Disposition: form-data; name="images"; filename="a.png"\r\n\r\n');
      raw.write(png(100_000).bytes);
      await eventually(async () => expect(await storedFiles(service)).toHaveLength(before + 1));
      await raw.cut();
      await eventually(async () => expect(await storedFiles(service)).toHaveLength(before));
    });
  });

  const large = (bytes: number) => ({
    Authorization: world.device.authorization,
    "Content-Type": "multipart/form-data; boundary=b",
    "Content-Length": bytes,
  });
});
