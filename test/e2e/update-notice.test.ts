import { spawn, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { listen } from "../support/network/recording-server.ts";
import { innkeepPath } from "../support/programs/built-program.ts";

/** `script` runs a program with a terminal. If it is missing, only a pipe is tested. */
const hasTerminals = spawnSync("script", ["--version"]).status === 0;

async function run(env: Readonly<Record<string, string>>, onTerminal: boolean): Promise<string> {
  const command = `${process.execPath} ${innkeepPath} help exit-codes`;
  const child = onTerminal
    ? spawn("script", ["-qec", command, "/dev/null"], { env: { PATH: process.env.PATH, ...env } })
    : spawn("sh", ["-c", command], { env: { PATH: process.env.PATH, ...env } });
  let shown = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      shown += chunk;
    });
  await new Promise((resolve) => child.on("close", resolve));
  return shown;
}

it(`a command never waits for the registry, and the next command shows the message${hasTerminals ? "" : " (no terminal here)"}`, async () => {
  const held: (() => void)[] = [];
  const registry = await listen((_, response) => {
    held.push(() => response.end('{"version":"99.0.0"}'));
  });
  const home = await temporaryFolder();
  const env = { HOME: home, INNKEEP_UPDATE_REGISTRY: registry, INNKEEP_UPDATE_NAME: "@inn/innkeep" };
  expect(await run(env, false)).not.toContain("is out");
  expect(held).toEqual([]);
  if (!hasTerminals) return;
  // It ends while the registry still delays its answer.
  expect(await run(env, true)).not.toContain("is out");
  await eventually(() => expect(held).toHaveLength(1));
  for (const answer of held) answer();
  const file = join(home, ".local", "state", "innkeep", "update.json");
  await eventually(() => expect(readFileSync(file, "utf8")).toContain("99.0.0"));
  expect(await run(env, true)).toContain("innkeep 99.0.0 is available; this is ");
  expect(await run(env, true)).not.toContain("is out");
});
