import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { innkeep, innkeepPath } from "../support/programs/built-program.ts";
import { hasTmux, startOnTerminal } from "../support/programs/terminal.ts";
import { startService } from "../support/service/service.ts";
import { makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

describe("a command that loads a part late works each time in one home", () => {
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
  ])("innkeep %s", async (_, argv) => {
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

  it.skipIf(!hasTmux)("innkeep feedback inbox", async () => {
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
});
