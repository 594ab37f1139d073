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

it("passes on a signal that came in the moment in which the command was started", async () => {
  const heard = listening();
  process.kill(process.pid, "SIGTERM");
  expect(await runCommand(shell("sleep 20"))).toEqual({ code: 143, received: "SIGTERM" });
  expect(heard()).toBe(0);
});

it("restores the earlier signal listeners when the command has ended", async () => {
  const heard = listening();
  await runCommand(shell("exit 0"));
  process.kill(process.pid, "SIGTERM");
  await expect.poll(heard).toBeGreaterThan(0);
});

it("restores the signal listeners if the command cannot be started", async () => {
  const before = process.listeners("SIGTERM");
  await expect(runCommand({ ...shell(""), command: ["sh", "a\0b"] })).resolves.toMatchObject({ code: 126 });
  expect(process.listeners("SIGTERM")).toEqual(before);
});
