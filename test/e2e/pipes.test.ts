import { execFile, spawn } from "node:child_process";
import { readdir, readlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../support/folder.ts";
import { innkeep, innkeepPath, innkeepServe } from "../support/innkeep.ts";

async function namedPipe(): Promise<string> {
  const path = join(await temporaryFolder(), "pipe");
  await promisify(execFile)("mkfifo", [path]);
  return path;
}

/** Whether the process has the file open, by what Linux tells of it. */
async function isOpenIn(pid: number, path: string): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => "")),
  );
  return targets.includes(path);
}

it("a message comes from a named pipe, also when its writer comes later", async () => {
  const { ready } = await innkeepServe(["--demo", "--port", "0", "--data", await temporaryFolder()]);
  const env = { INNKEEP_BASE_URL: ready.baseUrl, INNKEEP_API_KEY: ready.demo.apiKey };
  const pipe = await namedPipe();
  const argv = ["feedback", "send", "--type", "bug", "--message", `@${pipe}`, "--json"];
  const sending = innkeep(argv, { env });
  // Waits until somebody reads.
  await writeFile(pipe, "The build failed.\n");
  expect(await sending).toMatchObject({ code: 0, stdout: expect.stringContaining('"id"') });
});

it.each(["SIGINT", "SIGTERM"] as const)("%s ends the wait for a pipe that nobody writes", async (signal) => {
  const pipe = await namedPipe();
  const argv = [
    "feedback",
    "send",
    "--type",
    "bug",
    "--message",
    `@${pipe}`,
    "--base-url",
    "http://127.0.0.1:1",
  ];
  const child = spawn(process.execPath, [innkeepPath, ...argv], {
    env: { PATH: process.env.PATH, INNKEEP_API_KEY: "sdk_x" },
    stdio: ["ignore", "ignore", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = text(child.stderr);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  await expect.poll(() => isOpenIn(child.pid ?? 0, pipe), { timeout: 20_000 }).toBe(true);
  child.kill(signal);
  expect([await ended, await said]).toEqual([130, "Interrupted: nothing was sent.\n"]);
});
