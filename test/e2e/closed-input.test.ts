import { spawn } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { exitCodes } from "../../src/cli/core/cli-error.ts";
import { everyExample } from "../support/clients/every-command.ts";
import { wordsOfShell } from "../support/clients/example-command.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { listen } from "../support/network/recording-server.ts";
import { innkeepPath } from "../support/programs/built-program.ts";

/** These commands run until they are stopped. */
const servers = ["serve", "dev", "dev exec"];
const known: readonly number[] = Object.values(exitCodes).map(({ code }) => code);

const commands = (await everyExample())
  .filter(([words]) => !servers.includes(words))
  .map(([words, [example = ""]]): [string, string] => [words, example]);

describe("without a terminal and with a closed standard input,", () => {
  it.each(commands)("the command innkeep %s ends, and asks no question", async (_, example) => {
    const { code, stderr } = await endOf(example);
    expect(known, stderr).toContain(code);
    expect(stderr).not.toMatch(/\? $|: $/);
  });
});

/** Runs an example in an empty folder, against a server that refuses everything, without descriptor 0. */
async function endOf(example: string) {
  const folder = await temporaryFolder();
  const baseUrl = await listen((_, response) => void response.writeHead(418).end('{"error":"No."}'));
  const argv = wordsOfShell(example)
    .slice(1)
    .map((word) => word.replace("https://inn.example.org", baseUrl).replace(/^\/(?:srv|backups)\b/, folder));
  const env = {
    ...{ PATH: process.env.PATH, HOME: folder, INNKEEP_DATA: folder, INNKEEP_BASE_URL: baseUrl },
    ...{ INNKEEP_API_KEY: "sdk_a", INNKEEP_AGENT_TOKEN: "sda_a", INNKEEP_DEVICE_TOKEN: "sdt_a" },
    ...{ INNKEEP_TOKEN: "sdm_a", INNKEEP_TEST_KEY: "stk_a" },
  };
  const program = [process.execPath, innkeepPath, ...argv];
  const child = spawn("sh", ["-c", 'exec "$@" <&-', "sh", ...program], { cwd: folder, env });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stdout.resume();
  child.stderr.on("data", (chunk: Buffer) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { code, stderr };
}
