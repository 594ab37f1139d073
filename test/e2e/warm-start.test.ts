import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeep, innkeepPath } from "../support/programs/built-program.ts";
import { hasTmux, startOnTerminal } from "../support/programs/terminal.ts";
import { startService } from "../support/service/service.ts";
import {
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../support/worlds/app-with-owner-and-agent.ts";

describe("a command that loads a part of the program later, run several times with one home folder,", () => {
  it.each([
    ["faq list", ["faq", "list"]],
    ["feedback send", ["feedback", "send", "--type", "bug", "--message", "m"]],
    ["changelog list", ["changelog", "list"]],
    ["completion", ["completion", "bash"]],
    ["faq pull, which reads YAML", ["faq", "pull", "HOME/faq.yaml"]],
    ["auth status", ["auth", "status"]],
    ["mcp --setup", ["mcp", "--setup"]],
    ["feedback resend", ["feedback", "resend", "--list"]],
    ["init", ["init", "--dry-run", "--ci", "none"]],
    ["agent list", ["agent", "list"]],
    ["feedback resolve", ["feedback", "resolve", "--dedupe-key", "k", "--run-status", "cancelled"]],
  ])("succeeds each time: innkeep %s", async (_, argv) => {
    const service = await startService();
    const { key, owner } = await makeAppWithAgent(service);
    const HOME = await temporaryFolder();
    await writeFile(join(HOME, "faq.yaml"), "[]\n");
    const env = {
      HOME,
      INNKEEP_AGENT_TOKEN: await service.makeToken(owner, "agent"),
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_API_KEY: key["x-api-key"],
    };
    for (const time of [1, 2, 3]) {
      const { code, stderr } = await innkeep(
        argv.map((word) => word.replace("HOME", HOME)),
        { env },
      );
      expect({ time, code, stderr }).toMatchObject({ time, code: 0 });
    }
    await service.stop();
  });

  it.skipIf(!hasTmux)("succeeds each time: innkeep feedback inbox", async () => {
    const service = await startService();
    const { owner } = await makeAppWithAgent(service);
    const scopes = ["feedback:read", "feedback:write", "apps:read"];
    const INNKEEP_TOKEN = await service.makeToken(owner, "maintainer", { scopes });
    const env = { HOME: await temporaryFolder(), INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN };
    for (const _ of [1, 2, 3]) {
      const terminal = startOnTerminal([process.execPath, innkeepPath, "feedback", "inbox"], env);
      await terminal.shows("in the inbox");
      terminal.press("q");
      await terminal.shows("ended with 0");
    }
    await service.stop();
  });

  it.skipIf(!hasTmux).each([
    ["open", "/console", "ended with 0"],
    ["auth login", "/tavern/authorize?", "Approve this device in your browser"],
  ])("succeeds each time and opens a browser: innkeep %s", async (words, address, shown) => {
    const service = await startService();
    const folder = await temporaryFolder();
    const opened = join(folder, "opened");
    await writeFile(opened, "");
    await writeFile(join(folder, "xdg-open"), `#!/bin/sh\necho "$1" >> "${opened}"\n`, { mode: 0o700 });
    const PATH = `${folder}:${process.env.PATH}`;
    const env = { HOME: folder, PATH, DISPLAY: ":0", INNKEEP_BASE_URL: service.baseUrl };
    for (const time of [1, 2, 3]) {
      const terminal = startOnTerminal([process.execPath, innkeepPath, ...words.split(" ")], env);
      await terminal.shows(shown);
      const lines = async () => (await readFile(opened, "utf8")).trim().split("\n");
      await expect
        .poll(lines, { timeout: 20_000 })
        .toEqual(Array.from({ length: time }, () => expect.stringContaining(service.baseUrl + address)));
      terminal.press("C-c");
    }
    await service.stop();
  });

  it.skipIf(!hasTmux)("succeeds each time: innkeep task list --watch", async () => {
    const service = await startService();
    const { authorization } = await service.makeDevice(await service.makeUser());
    const INNKEEP_DEVICE_TOKEN = authorization.slice("Bearer ".length);
    const env = { HOME: await temporaryFolder(), INNKEEP_BASE_URL: service.baseUrl, INNKEEP_DEVICE_TOKEN };
    for (const _ of [1, 2, 3]) {
      const terminal = startOnTerminal([process.execPath, innkeepPath, "task", "list", "--watch"], env);
      await terminal.shows("No tests today.");
      terminal.press("q");
      await terminal.shows("ended with 0");
    }
    await service.stop();
  });

  it("succeeds each time: innkeep agent work", async () => {
    const service = await startService();
    const cast = await makeAppWithAgent(service);
    const scopes = ["runs:work"];
    const INNKEEP_AGENT_TOKEN = await service.makeToken(cast.owner, "agent", { scopes });
    const env = { HOME: await temporaryFolder(), INNKEEP_BASE_URL: service.baseUrl, INNKEEP_AGENT_TOKEN };
    for (const time of [1, 2, 3]) {
      const runId = await propose(service, cast, await submitFeedback(service, cast));
      await decide(service, cast, runId, { decision: "approve" });
      const argv = ["agent", "work", "--once", "--", process.execPath, "--eval", ""];
      const { code, stderr } = await innkeep(argv, { env });
      expect({ time, code, stderr }).toMatchObject({ time, code: 0, stderr: expect.stringContaining(runId) });
    }
    await service.stop();
  });
});
