import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { createTesterCommandLine } from "../../support/worlds/tester-command-line.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Another tester, without a slot. */
async function newcomer() {
  const { authorization } = await service.makeDevice(await service.makeUser());
  return createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_DEVICE_TOKEN: authorization.slice("Bearer ".length),
  });
}

describe("the command slot list", () => {
  it("shows the slots of the tester without their test keys", async () => {
    const { line, slotId, testKey } = await createTesterCommandLine(service);
    const ran = await line.run(["slot", "list", "--json"]);
    expect(ran.json()).toMatchObject({ slots: [{ slotId, status: "active", cycleStatus: "running" }] });
    expect(ran.stdout).not.toContain(testKey);
  });

  it("shows with --open the cycles with open slots", async () => {
    const { cycle } = await createTesterCommandLine(service);
    const line = await newcomer();
    const ran = await line.run(["slot", "list", "--open", "--json"]);
    expect(ran.json()).toMatchObject({
      listings: expect.arrayContaining([expect.objectContaining({ cycleId: cycle.id, seatsFree: 11 })]),
    });
  });
});

describe("the command slot list --open", () => {
  it("reads all pages of the server", async () => {
    const entry = (openSlotId: string) => ({ openSlotId, appName: "Lantern", seatsFree: 1 });
    const baseUrl = await listen(({ url = "" }, response) => {
      const further = url.includes("cursor=more");
      const page = { listings: [entry(further ? "second" : "first")], nextCursor: further ? null : "more" };
      response.setHeader("content-type", "application/json").end(JSON.stringify(page));
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_DEVICE_TOKEN: "sdt_a" });
    const ran = await line.run(["slot", "list", "--open", "--json"]);
    expect(ran.json()).toMatchObject({ listings: [{ openSlotId: "first" }, { openSlotId: "second" }] });
  });

  it("says that no slot is open, and prints nothing else", async () => {
    const baseUrl = await listen((_, response) => void response.end('{"listings":[]}'));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_DEVICE_TOKEN: "sdt_a" });
    expect(await line.run(["slot", "list", "--open"])).toMatchObject({
      ...{ exit: 0, stdout: "", stderr: "No test has a free slot now.\n" },
    });
  });
});

describe("the command slot request", () => {
  it("requests an open slot once, and says that the owner decides", async () => {
    const { cycle } = await createTesterCommandLine(service);
    const line = await newcomer();
    const ran = await line.run(["slot", "request", cycle.slotIds[1] ?? ""]);
    expect(ran).toMatchObject({ exit: 0, stderr: expect.stringContaining("The owner of the test decides") });
    expect((await line.run(["slot", "request", cycle.slotIds[2] ?? ""])).exit).toBe(7);
  });

  it("ends with exit code 6 for an unknown slot", async () => {
    const line = await newcomer();
    expect((await line.run(["slot", "request", crypto.randomUUID()])).exit).toBe(6);
  });
});

describe("the command slot rotate-key", () => {
  it("replaces the test key, and shows the new one only if a flag asks for it", async () => {
    const { line, slotId, testKey } = await createTesterCommandLine(service);
    expect((await line.run(["slot", "rotate-key", slotId, "--json"])).stdout).not.toContain("testKey");
    const ran = await line.run(["slot", "rotate-key", slotId, "--with-test-keys"]);
    expect(ran.stdout).toMatch(/^stk_\w+\n$/);
    expect(ran.stdout).not.toContain(testKey);
  });
});
