import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pdf } from "../../support/files/sample-files.ts";
import { answers, startRecordingServer } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { createTesterCommandLine } from "../../support/worlds/tester-command-line.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const picture = ["--image", "shot.png"];
const nowhere = ["--base-url", "http://127.0.0.1:1"];

describe("the command proof submit", () => {
  it("sends images, and the day is counted", async () => {
    const { line, slotId } = await createTesterCommandLine(service);
    const ran = await line.run(["proof", "submit", slotId, ...picture, "--note", "Works.", "--json"]);
    expect(ran.exit).toBe(0);
    expect(ran.json()).toMatchObject({ slotId, dayIndex: 1, submitted: true });
  });

  it("names all faults before it sends anything", async () => {
    const { line } = await createTesterCommandLine(service);
    await writeFile(join(line.cwd, "a.pdf"), pdf().bytes);
    const flags = ["--image", "a.pdf", "--image", "none.png", "--captured-at", "noon"];
    const { exit, stderr } = await line.run(["proof", "submit", "7", ...flags, ...nowhere]);
    expect(exit).toBe(2);
    for (const fault of [
      "<slot> must be",
      "its bytes are PDF",
      "none.png cannot be read",
      "--captured-at must",
    ])
      expect(stderr).toContain(fault);
  });

  it("says that nothing needs to be done for a counted day, and keeps nothing", async () => {
    const { line, slotId } = await createTesterCommandLine(service);
    await line.run(["proof", "submit", slotId, ...picture]);
    const ran = await line.run(["proof", "submit", slotId, ...picture]);
    expect(ran).toMatchObject({ exit: 7, stderr: expect.stringContaining("There is nothing left to do") });
    expect((await line.run(["proof", "resend", "--list", "--json"])).json()).toEqual({ items: [] });
  });

  it("prints the day of a proof for a program", async () => {
    const { line, slotId } = await createTesterCommandLine(service);
    const captured = ["--captured-at", new Date(Date.now() - 3 * 86_400_000).toISOString()];
    const ran = await line.run(["proof", "submit", slotId, ...picture, ...captured, "--json"]);
    expect(JSON.parse(ran.stderr)).toMatchObject({
      code: "out_of_window",
      dayIndex: expect.any(Number),
      exitCode: 7,
    });
  });

  it.each([
    [401, "invalid_token", 4, true],
    [403, "insufficient_scope", 5, true],
    [403, "slot_not_active", 5, false],
    [409, "already_submitted", 7, false],
    [422, "cycle_not_running", 7, false],
    [400, "bad_image", 2, false],
    [429, "rate_limited", 75, true],
    [503, "busy", 75, true],
  ])(
    "ends after the answer %i %s with exit code %i, and the proof is kept: %s",
    async (status, code, exit, isKept) => {
      const { line, slotId } = await createTesterCommandLine(service);
      const { baseUrl } = await startRecordingServer(answers(status, { error: "No.", code }));
      const ran = await line.run(["proof", "submit", slotId, ...picture, "--base-url", baseUrl]);
      expect(ran.exit).toBe(exit);
      const kept = await line.run(["proof", "resend", "--list", "--fields", "id"]);
      expect(kept.stdout !== "").toBe(isKept);
    },
  );
});

describe("the command proof submit without the whole id of a slot, while the server does not answer,", () => {
  it.each([
    ["no id", () => []],
    ["the start of the id", (slotId: string) => [slotId.slice(0, 30)]],
  ])("keeps the proof with %s, says so, and sends it later", async (_, words) => {
    const { line, slotId } = await createTesterCommandLine(service);
    const down = answers(503, { error: "Busy.", code: "busy" }, { "retry-after": "999" });
    const slots = answers(200, { slots: [{ slotId, status: "active", app: { name: "Larder" } }] });
    const receipt = { proofId: "p", slotId, dayIndex: 1, submitted: true };
    const { baseUrl, received } = await startRecordingServer(down, slots, answers(201, receipt));
    const at = ["--base-url", baseUrl];
    const ran = await line.run(["proof", "submit", ...words(slotId), ...picture, ...at]);
    expect(ran).toMatchObject({ exit: 75, stderr: expect.stringContaining("The proof is kept.") });
    expect((await line.run(["proof", "resend", "--all", ...at])).exit).toBe(0);
    expect(received.at(-1)?.body.toString("latin1")).toContain(slotId);
    expect((await line.run(["proof", "resend", "--list", "--json"])).json()).toEqual({ items: [] });
  });

  it("keeps nothing for a slot that the tester does not have, and says so", async () => {
    const { line } = await createTesterCommandLine(service);
    const ran = await line.run(["proof", "submit", "ffffffff", ...picture]);
    expect(ran).toMatchObject({ exit: 6, stderr: expect.stringContaining("No copy of the proof is kept.") });
    expect((await line.run(["proof", "resend", "--list", "--json"])).json()).toEqual({ items: [] });
  });
});

describe("the command proof resend", () => {
  it("sends an unsent proof with the same key and bytes", async () => {
    const { line, slotId } = await createTesterCommandLine(service);
    const down = answers(503, { error: "Busy.", code: "busy" }, { "retry-after": "999" });
    const receipt = { proofId: "p", slotId, dayIndex: 1, submitted: true };
    const { baseUrl, received } = await startRecordingServer(down, answers(201, receipt));
    const at = ["--base-url", baseUrl];
    expect((await line.run(["proof", "submit", slotId, ...picture, ...at])).exit).toBe(75);
    expect((await line.run(["proof", "resend", "--all", ...at])).exit).toBe(0);
    const [first, second] = received;
    expect(first?.headers["idempotency-key"]).toBeTruthy();
    expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
    expect(second?.body.equals(first?.body ?? Buffer.of())).toBe(true);
    expect((await line.run(["proof", "resend", "--list", "--json"])).json()).toEqual({ items: [] });
  });
});

describe("the command proof discard", () => {
  it("deletes an unsent proof after a confirmation", async () => {
    const { line, slotId } = await createTesterCommandLine(service);
    await line.run(["proof", "submit", slotId, ...picture, ...nowhere]);
    const id = (await line.run(["proof", "resend", "--list", "--fields", "id"])).stdout.trim();
    expect((await line.run(["proof", "discard", id])).exit).toBe(2);
    expect((await line.run(["proof", "discard", id, "--yes"])).exit).toBe(0);
    expect((await line.run(["proof", "resend", id])).exit).toBe(6);
  });
});
