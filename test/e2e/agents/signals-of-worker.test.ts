import { expect, it, onTestFinished } from "vitest";
import { runCommand } from "../../../src/local/run-command.ts";

const shell = (script: string) => ({
  command: ["sh", "-c", script],
  env: process.env,
  platform: process.platform,
  cwd: process.cwd(),
});

function listening() {
  let heard = 0;
  const listener = () => void heard++;
  process.on("SIGTERM", listener);
  onTestFinished(() => void process.off("SIGTERM", listener));
  return () => heard;
}

it("a worker passes a signal to the program even if the signal arrives during the start of the program", async () => {
  const heard = listening();
  process.kill(process.pid, "SIGTERM");
  expect(await runCommand(shell("sleep 20"))).toEqual({ code: 143, received: "SIGTERM" });
  expect(heard()).toBe(0);
});

it("a worker restores the earlier signal listeners after the program has ended", async () => {
  const heard = listening();
  await runCommand(shell("exit 0"));
  process.kill(process.pid, "SIGTERM");
  await expect.poll(heard).toBeGreaterThan(0);
});

it("a worker restores the signal listeners if the program cannot be started", async () => {
  const before = process.listeners("SIGTERM");
  await expect(runCommand({ ...shell(""), command: ["sh", "a\0b"] })).resolves.toMatchObject({ code: 126 });
  expect(process.listeners("SIGTERM")).toEqual(before);
});
