import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Context } from "../../../src/cli/core/context.ts";
import { checkForUpdate, noticeUpdate } from "../../../src/cli/update.ts";
import { emptyWorld } from "../../support/clients/command-line.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { listen } from "../../support/network/recording-server.ts";

/** A folder of a package that exists only on this machine. */
const named = { INNKEEP_UPDATE_REGISTRY: "https://npm.example.org", INNKEEP_UPDATE_NAME: "@inn/innkeep" };
const hour = 3_600_000;

/** A person's machine with a clock that can be moved, and a registry. */
async function machine({ answer = '{"version":"1.10.0"}', version = "1.9.3" } = {}) {
  const asked: (string | undefined)[] = [];
  const registry = await listen(({ url }, response) => {
    asked.push(url);
    response.end(answer);
  });
  const home = await temporaryFolder();
  let now = Date.parse("2026-11-22T09:00:00Z");
  const env = { INNKEEP_UPDATE_REGISTRY: `${registry}/`, INNKEEP_UPDATE_NAME: "@inn/innkeep" };
  /** Runs a command. Returns its messages, and whether it starts a check of the registry. */
  const command = (changes: Partial<Context> = {}, argv: readonly string[] = ["faq", "list"]) => {
    let said = "";
    const write = (text: string) => {
      said += text;
    };
    const stderr = { isTerminal: true, columns: 80, write };
    const world = emptyWorld();
    const io = { ...world.io, stderr };
    const clock = { ...world.clock, now: () => new Date(now) };
    const asks = noticeUpdate({ ...world, io, clock, home, env, version, ...changes }, argv);
    return { said, asks };
  };
  return {
    asked,
    command,
    home,
    check: () => checkForUpdate({ env, home, platform: "linux" }, () => "id"),
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

describe("the message about a newer version", () => {
  it("causes one request to the registry a day, and is shown once a day", async () => {
    const { command, check, pass, asked } = await machine();
    expect(command()).toEqual({ said: "", asks: true });
    await check();
    expect(asked).toEqual(["/@inn%2finnkeep/latest"]);
    expect(command()).toEqual({
      said: expect.stringContaining("innkeep 1.10.0 is available; this is 1.9.3."),
      asks: false,
    });
    pass(23 * hour);
    expect(command()).toEqual({ said: "", asks: false });
    pass(hour);
    expect(command()).toEqual({ said: expect.stringContaining("INNKEEP_NO_UPDATE_NOTICE=1"), asks: true });
  });

  it.each(["1.10.0", "2.0.0", "1.10.1-beta.1"])("is not shown to %s", async (version) => {
    const { command, check } = await machine({ version });
    command();
    await check();
    expect(command().said).toBe("");
  });

  it("is shown again after the clock was set back", async () => {
    const { command, check, pass } = await machine();
    command();
    await check();
    command();
    pass(-100 * hour);
    expect(command()).toEqual({ said: expect.stringContaining("1.10.0"), asks: true });
  });

  it.each<[string, Partial<Context>, readonly string[]]>([
    ["in a CI job", { env: { ...named, CI: "true" } }, []],
    ["with INNKEEP_NO_UPDATE_NOTICE", { env: { ...named, INNKEEP_NO_UPDATE_NOTICE: "1" } }, []],
    ["without a registry", { env: { INNKEEP_UPDATE_NAME: "@inn/innkeep" } }, []],
    [
      "without a name, which a stranger could take",
      { env: { INNKEEP_UPDATE_REGISTRY: "https://r.example" } },
      [],
    ],
    ["in a pipe", { io: emptyWorld().io }, []],
    ["with --json", {}, ["faq", "list", "--json"]],
    ["where nothing can be written", { home: "/dev/null" }, []],
  ])("is not shown and causes no request %s", async (_, changes, argv) => {
    const { command, check } = await machine();
    await check();
    expect(command(changes, argv)).toEqual({ said: "", asks: false });
  });

  it.each(["<html>", "{}", '{"version":"9.9.9\\u001b[2J"}', '{"version":"9.0.0-rc.1"}'])(
    "ignores a registry that answers %s",
    async (answer) => {
      const { command, check, home } = await machine({ answer });
      command();
      await expect(check()).rejects.toThrow();
      expect(await readFile(join(home, ".local/state/innkeep/update.json"), "utf8")).toContain(
        '"latest":null',
      );
      expect(command().said).toBe("");
    },
  );
});
