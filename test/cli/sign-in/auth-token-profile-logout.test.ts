import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { createMachineWithDisplay, tokenIn } from "../../support/worlds/machine-with-display.ts";

let service: Service;
const desk = () => createMachineWithDisplay(service);
beforeAll(async () => {
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
});
afterAll(() => service.stop());

describe("the command auth token", () => {
  it("prints the credential into a pipe", async () => {
    const { line, login, keychain, world } = await desk();
    await login();
    const ran = await line.run(["auth", "token", "device-token"], { world });
    expect(ran.stdout).toBe(`${tokenIn(keychain)}\n`);
  });

  it("refuses to print on a terminal", async () => {
    const { line } = await desk();
    const env = { INNKEEP_DEVICE_TOKEN: "sdt_0123456789" };
    const ran = await line.run(["auth", "token", "device-token"], { env, terminal: true });
    expect(ran).toMatchObject({ exit: 2, stdout: "", stderr: expect.stringContaining("into a pipe only") });
  });

  it("ends with exit code 4 without a credential, and says how a person gets one", async () => {
    const { line } = await desk();
    const ran = await line.run(["auth", "token", "device-token"]);
    expect(ran).toMatchObject({ exit: 4, stderr: expect.stringContaining("innkeep auth login") });
  });
});

describe("the command auth profile", () => {
  it("shows the tester's profile, and changes the time zone", async () => {
    const { line, login, world } = await desk();
    await login();
    await line.run(["auth", "profile", "--timezone", "Europe/London"], { world });
    const ran = await line.run(["auth", "profile", "--json"], { world });
    expect(ran.json()).toEqual({ timezone: "Europe/London", isTester: false });
  });
});

describe("the command auth logout", () => {
  it("says where a person can sign out the device on the server", async () => {
    const { line, login, keychain, world } = await desk();
    await login();
    const ran = await line.run(["auth", "logout"], { world });
    expect(keychain.entries()).toEqual([]);
    expect(ran.stderr).toContain(`${service.baseUrl}/console/devices`);
  });
});
