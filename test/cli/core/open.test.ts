import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { answers, startRecordingServer } from "../../support/network/recording-server.ts";

const threadAt = (consoleUrl: string) => answers(200, { app: {}, feedback: { consoleUrl } });

async function person(env: Record<string, string> = {}) {
  const opened: string[] = [];
  const openBrowser = async (url: string) => void opened.push(url);
  const line = await createCommandLine({ INNKEEP_BASE_URL: "https://b.example/x/", ...env });
  const run = (argv: string[] = [], options = {}) =>
    line.run(["open", ...argv], { terminal: true, world: { openBrowser }, ...options });
  return { run, opened };
}

describe("the command open", () => {
  it.each([
    [{}, "https://b.example/x/console"],
    [{ INNKEEP_CONSOLE_URL: "https://c.example/" }, "https://c.example"],
  ])("opens the console of the settings %j, and prints its address", async (env, url) => {
    const { run, opened } = await person(env);
    expect((await run()).stdout).toBe(`${url}\n`);
    expect(opened).toEqual([url]);
  });

  it.each([
    ["without a terminal", { terminal: false }],
    ["in CI", { env: { CI: "true" } }],
  ])("only prints the address %s", async (_, options) => {
    const { run, opened } = await person();
    expect(await run([], options)).toMatchObject({ exit: 0, stdout: "https://b.example/x/console\n" });
    expect(opened).toEqual([]);
  });

  it("does not fail without a browser", async () => {
    const { run } = await person();
    const openBrowser = () => Promise.reject(new Error("no browser"));
    expect(await run([], { world: { openBrowser } })).toMatchObject({
      exit: 0,
      stderr: "No browser could be opened here.\n",
    });
  });

  it.each(["INNKEEP_AGENT_TOKEN", "INNKEEP_TOKEN"])(
    "requests the address of a thread with %s",
    async (variable) => {
      const { baseUrl } = await startRecordingServer(threadAt("https://c.example/feedback/1/2"));
      const { run, opened } = await person({ INNKEEP_BASE_URL: baseUrl, [variable]: "token" });
      await run(["2"]);
      expect(opened).toEqual(["https://c.example/feedback/1/2"]);
    },
  );

  it.each(["javascript:alert(1)", "file:///etc/passwd", "vscode://x", ""])(
    "opens no unsafe link of a server: %s",
    async (link) => {
      const { baseUrl } = await startRecordingServer(threadAt(link));
      const { run, opened } = await person({ INNKEEP_BASE_URL: baseUrl, INNKEEP_AGENT_TOKEN: "token" });
      expect((await run(["2"])).exit).toBe(1);
      expect(opened).toEqual([]);
    },
  );
});
