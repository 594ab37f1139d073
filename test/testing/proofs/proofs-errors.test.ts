import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inputPath } from "../../support/files/inputs.ts";
import { jpeg, pdf, png, type SampleFile } from "../../support/files/sample-files.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { keyed } from "../../support/service/mutations.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedFiles } from "../../support/service/stored-content.ts";
import {
  dayMilliseconds,
  makeTesterInCycle,
  type ProofFields,
  sendProof,
  setStatus,
  type TesterInCycle,
  toNoon,
} from "../../support/worlds/tester-in-running-cycle.ts";

const twelve = Array.from({ length: 12 }, (_, at) => at);
const bad: SampleFile = { ...png(), bytes: Buffer.from("hello") };

describe("a proof that is refused", () => {
  let service: Service;
  let world: TesterInCycle;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    toNoon(service);
    world = await makeTesterInCycle(service);
    service.clock.advance(dayMilliseconds);
  });
  afterAll(() => service.stop());

  const submit = (fields: Partial<ProofFields> = {}, headers: Record<string, string> = world.device) =>
    sendProof(service, headers, { slotId: world.slotId, ...fields });
  const daysAgo = (days: number) =>
    new Date(service.clock.now().getTime() - days * dayMilliseconds).toISOString();
  const setCycle = (status: string) =>
    service.deps.database.write((tx) =>
      tx.run("UPDATE cycles SET status = ?, next_at = NULL WHERE id = ?", status, world.cycle.id),
    );
  const useUpSlot = () => Promise.all(twelve.map(() => submit({ capturedAt: "never" })));

  /** The errors that the specification lists, and the cause of each. */
  const errors: Record<
    string,
    { status: number; dayIndex?: number; come: () => Promise<unknown>; fields?: Partial<ProofFields> }
  > = {
    out_of_window: {
      status: 422,
      dayIndex: 1,
      come: async () => {},
      fields: {
        get capturedAt() {
          return daysAgo(1);
        },
      },
    },
    cycle_not_running: { status: 422, come: () => setCycle("recruiting") },
    already_submitted: { status: 409, dayIndex: 2, come: () => submit() },
    slot_not_active: { status: 403, come: () => setStatus(service, world.slotId, "removed") },
    no_images: { status: 400, dayIndex: 2, come: async () => {}, fields: { images: [] } },
    bad_image: { status: 400, dayIndex: 2, come: async () => {}, fields: { images: [png(), pdf()] } },
    rate_limited: { status: 429, come: useUpSlot },
  };

  it.each(Object.keys(errors))(
    "is refused with %s as the specification says, and nothing of it is stored",
    async (code) => {
      const { status, dayIndex, come, fields } = errors[code] ?? { status: 0, come: async () => {} };
      await come();
      const before = await storedFiles(service);
      const answer = await submit(fields);
      const says = { error: expect.stringMatching(/^[A-Z].+\.$/), code };
      expect(answer).toMatchObject({
        status,
        body: { ...says, ...(dayIndex === undefined ? {} : { dayIndex }) },
      });
      expect(answer.text.includes('"dayIndex"')).toBe(dayIndex !== undefined);
      expect(answer.headers.has("retry-after")).toBe(code === "rate_limited");
      expect(await storedFiles(service)).toEqual(before);
    },
  );

  it.each(["removed", "completed", "requested"])(
    "is refused with slot_not_active for a slot that is %s",
    async (status) => {
      await setStatus(service, world.slotId, status);
      expect(await submit()).toMatchObject({ status: 403, body: { code: "slot_not_active" } });
    },
  );

  describe.each([
    { what: "a document", image: pdf(), fault: "must be one of these file types: image/png" },
    {
      what: "text that calls itself a picture",
      image: bad,
      fault: "must be one of these file types: image/png",
    },
    {
      what: "a photograph of an iPhone",
      image: { ...jpeg(), bytes: readFileSync(inputPath("photo-iphone.heic")) },
      fault: "must be one of these file types: image/png",
    },
    {
      what: "empty",
      image: { ...jpeg(), bytes: Buffer.alloc(0) },
      fault: "must be one of these file types: image/png",
    },
  ])("because an image is $what", ({ image, fault }) => {
    it("gets an answer that names the image and its fault", async () => {
      const answer = await submit({ images: [png(), image] });
      expect(answer).toMatchObject({ status: 400, body: { code: "bad_image" } });
      expect(answer.field("error")).toContain(`images.1 ${fault}`);
      expect(issuesOf(answer)).toEqual([expect.stringContaining(`images.1: ${fault}`)]);
    });
  });

  it("gets an answer that names every bad image", async () => {
    const answer = await submit({ images: [bad, png(), pdf()] });
    expect(issuesOf(answer).map((issue) => issue.split(":")[0])).toEqual(["images.0", "images.2"]);
  });

  it("is refused with no_images if the file input of the form is empty", async () => {
    const empty = { name: "", mediaType: "application/octet-stream", bytes: Buffer.alloc(0) };
    expect(await submit({ images: [empty] })).toMatchObject({ status: 400, body: { code: "no_images" } });
  });

  it("only because of its time is checked again when it is repeated with its Idempotency-Key", async () => {
    const capturedAt = daysAgo(-1);
    const early = await submit({ capturedAt }, { ...world.device, ...keyed("early") });
    expect(early).toMatchObject({ status: 422, body: { code: "out_of_window", dayIndex: 3 } });
    service.clock.advance(dayMilliseconds);
    const again = await submit({ capturedAt }, { ...world.device, ...keyed("early") });
    expect(again).toMatchObject({ status: 201, body: { dayIndex: 3 } });
  });

  it("does not use the day, so that the next proof can count", async () => {
    await submit({ images: [] });
    await submit({ images: [bad] });
    await submit({ capturedAt: daysAgo(1) });
    expect(await submit()).toMatchObject({ status: 201, body: { dayIndex: 2 } });
  });

  describe("for several reasons", () => {
    /** A request with every possible fault; each row of the sequence below corrects one. */
    const worst = { slotId: "seven", capturedAt: "never", images: [] };
    const expectRefusal = async (sent: ReturnType<typeof submit>, status: number, code: string) =>
      expect(await sent).toMatchObject({ status, body: { code } });

    it("gets 401 first, then 403 for the scope, 422 for a different repeat, 429, 400 for the form, and 404", async () => {
      const reader = await service.makeDevice(world.tester, ["testing:read"]);
      const other = await makeTesterInCycle(service);
      const theirs = { capturedAt: "never", images: [] };
      const once = { ...world.device, ...keyed("once") };
      await submit({ capturedAt: daysAgo(1) }, once);
      await Promise.all(twelve.slice(1).map(() => submit(theirs)));

      await expectRefusal(submit(worst, {}), 401, "invalid_token");
      await expectRefusal(submit(theirs, { ...reader, ...keyed("once") }), 403, "insufficient_scope");
      await expectRefusal(submit(theirs, once), 422, "idempotency_mismatch");
      await expectRefusal(submit(theirs), 429, "rate_limited");
      await expectRefusal(submit({ ...theirs, slotId: other.slotId }), 400, "bad_request");
      await expectRefusal(submit({ slotId: other.slotId, images: [] }), 404, "not_found");
    });

    it("gets cycle_not_running first, then slot_not_active, out_of_window, already_submitted, no_images, and bad_image", async () => {
      const [yesterday, none] = [{ capturedAt: daysAgo(1), images: [] }, { images: [] }];
      await submit();
      await setCycle("completed");
      await setStatus(service, world.slotId, "removed");
      await expectRefusal(submit(yesterday), 422, "cycle_not_running");
      await setCycle("running");
      await expectRefusal(submit(yesterday), 403, "slot_not_active");
      await setStatus(service, world.slotId, "active");
      await expectRefusal(submit(yesterday), 422, "out_of_window");
      await expectRefusal(submit(none), 409, "already_submitted");
      service.clock.advance(dayMilliseconds);
      await expectRefusal(submit(none), 400, "no_images");
      await expectRefusal(submit({ images: [bad] }), 400, "bad_image");
      expect(await submit()).toMatchObject({ status: 201, body: { dayIndex: 3 } });
    });

    it("gets out_of_window before already_submitted for a past day that is counted", async () => {
      await submit();
      service.clock.advance(dayMilliseconds);
      const answer = await submit({ capturedAt: daysAgo(1) });
      expect(answer).toMatchObject({ status: 422, body: { code: "out_of_window", dayIndex: 2 } });
    });
  });
});
