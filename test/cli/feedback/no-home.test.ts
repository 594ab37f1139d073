import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { startRecordingServer } from "../../support/network/recording-server.ts";
import { commandsOfScript, runScriptCommand } from "../../support/programs/input-script.ts";

describe("the command feedback send without a writable folder", () => {
  it.each(["/proc/none", "/dev/null/none", "/proc/self/none/deeper"])(
    "sends the report with the home folder %s, and says that there is no copy",
    async (home) => {
      const { baseUrl, received } = await startRecordingServer();
      const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_a" });
      const ran = await line.run(["feedback", "send", "--type", "bug", "--message", "m"], {
        world: { home },
      });
      expect(ran).toMatchObject({
        exit: 0,
        stderr: expect.stringContaining("no copy of it can be stored on disk"),
      });
      expect(received).toHaveLength(1);
    },
  );
});

it.each(["home-in-proc.sh", "home-is-a-file.sh", "state-in-proc.sh"])(
  "the report of the script %s is sent, and the exit code is 0",
  async (name) => {
    const [command] = await commandsOfScript(name);
    if (!command) throw new Error("The script has a command.");
    const { baseUrl, received } = await startRecordingServer();
    const ran = await runScriptCommand(command, {
      env: { INNKEEP_BASE_URL: baseUrl, INNKEEP_API_KEY: "sdk_a" },
    });
    expect(ran).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining("no copy of it can be stored on disk"),
    });
    expect(received).toHaveLength(1);
  },
);
