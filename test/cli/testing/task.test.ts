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

describe("the command task list", () => {
  it("prints day, screen and open tasks as tab-separated values in a pipe", async () => {
    const { line, slotId } = await createTesterCommandLine(service, { screens: ["Map"] });
    const { stdout, stderr } = await line.run(["task", "list"]);
    expect(stdout.split("\t").slice(0, 4)).toEqual([slotId, "Lantern", "1/14", "Map"]);
    expect(stderr).toBe("Tasks that are still open: 1.\n");
  });

  it("prints the server's answer without test keys for a program", async () => {
    const { line, slotId, testKey } = await createTesterCommandLine(service);
    const ran = await line.run(["task", "list", "--json"]);
    expect(ran.json()).toMatchObject({ tasks: [{ slotId, submitted: false }], outstanding: 1 });
    expect(ran.stdout).not.toContain(testKey);
    expect(ran.stdout).not.toContain("testKey");
  });

  it("prints test keys only if a flag asks for them", async () => {
    const { line, testKey } = await createTesterCommandLine(service);
    const ran = await line.run(["task", "list", "--with-test-keys", "--fields", "testKey"]);
    expect(ran.stdout).toBe(`${testKey}\n`);
    expect((await line.run(["task", "list", "--fields", "testKey"])).exit).toBe(2);
  });

  it.each(["0", "99"])("refuses day %s", async (day) => {
    const { line } = await createTesterCommandLine(service);
    expect((await line.run(["task", "list", "--day", day])).exit).toBe(2);
  });
});

describe("the command task list --watch without a terminal", () => {
  it("writes one object for each change until it is interrupted, at the interval of the server", async () => {
    const answers = [
      [200, { tasks: [], outstanding: 0 }],
      [200, { tasks: [], outstanding: 0 }],
      [429, { error: "Wait.", code: "rate_limited" }],
      [200, { tasks: [], outstanding: 1 }],
    ] as const;
    let asked = 0;
    const baseUrl = await listen((_, response) => {
      const [status, body] = answers[asked] ?? [500, {}];
      asked += 1;
      response.writeHead(status, { "retry-after": "7" }).end(JSON.stringify(body));
    });
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_DEVICE_TOKEN: "sdt_a" });
    const stopped = new AbortController();
    const pauses: number[] = [];
    const sleep = async (milliseconds: number) => {
      pauses.push(milliseconds);
      if (pauses.length === answers.length) stopped.abort(new Error("interrupted"));
      stopped.signal.throwIfAborted();
    };
    const clock = { now: () => new Date(), sleep };
    const ran = await line.run(["task", "list", "--watch"], { signal: stopped.signal, world: { clock } });
    expect(ran.stdout).toBe('{"tasks":[],"outstanding":0}\n{"tasks":[],"outstanding":1}\n');
    expect(ran).toMatchObject({ exit: 130, stderr: "Wait.\n" });
    expect(pauses).toEqual([30_000, 30_000, 7_000, 30_000]);
  });

  it("ends if the token is no longer valid", async () => {
    const line = await createCommandLine({
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_DEVICE_TOKEN: "sdt_a",
    });
    expect((await line.run(["task", "list", "--watch"])).exit).toBe(4);
  });
});
