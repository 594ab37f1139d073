import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { innkeepPath } from "../../support/programs/built-program.ts";
import { hasTmux, startOnTerminal } from "../../support/programs/terminal.ts";
import { startService } from "../../support/service/service.ts";
import { makeAppWithAgent, submitFeedback } from "../../support/worlds/app-with-owner-and-agent.ts";

const where = hasTmux ? "a real terminal" : "no terminal, because tmux is not installed here";

async function inboxOnTerminal() {
  const service = await startService();
  const cast = await makeAppWithAgent(service);
  const INNKEEP_TOKEN = await service.makeToken(cast.owner, "maintainer", {
    scopes: ["feedback:read", "feedback:write", "apps:read"],
  });
  for (const subject of ["First", "Second", "Third"]) await submitFeedback(service, cast, { subject });
  const env = { INNKEEP_BASE_URL: service.baseUrl, INNKEEP_TOKEN };
  return { service, program: await startNoting(["feedback", "inbox"], env) };
}

/**
 * Starts a command in a shell that continues to run when the terminal is closed, and records its process id and exit
 * code.
 */
async function startNoting(argv: readonly string[], env: Readonly<Record<string, string>>) {
  const folder = await temporaryFolder();
  const [ended, started] = [join(folder, "ended"), join(folder, "started")];
  const script = `trap : HUP; sh -c 'echo $$ > ${started}; exec "$@"' sh "$@"; echo $? > ${ended}`;
  const shell = ["sh", "-c", script, "sh", process.execPath, innkeepPath, ...argv];
  const terminal = startOnTerminal(shell, { ...env, HOME: folder });
  const exit = () =>
    eventually(async () => expect(await readFile(ended, "utf8")).toMatch(/\n/)).then(async () =>
      Number(await readFile(ended, "utf8")),
    );
  return { terminal, exit, processId: async () => Number(await readFile(started, "utf8")) };
}

it.each([
  ["while it waits", []],
  ["while it draws", ["j", "k", "j", "k", "j", "k", "Enter"]],
  ["while a reply is written", ["r", "H", "e", "l", "l", "o"]],
])(`the inbox ends without a crash if its window is closed %s, on ${where}`, async (_, keys) => {
  if (!hasTmux) return;
  const { service, program } = await inboxOnTerminal();
  await program.terminal.shows("3 in the inbox");
  if (keys.length > 0) program.terminal.press(...keys);
  program.terminal.close();
  expect(await program.exit()).toBe(130);
  await service.stop();
});

it(`a question ends without a crash if its window is closed, on ${where}`, async () => {
  if (!hasTmux) return;
  const env = { INNKEEP_BASE_URL: "http://127.0.0.1:9", INNKEEP_API_KEY: "sdk_a" };
  const program = await startNoting(["feedback", "send", "--dry-run"], env);
  await program.terminal.shows("Number or name:");
  program.terminal.close();
  expect(await program.exit()).toBeLessThan(131);
});

it(`the inbox restores the terminal when it is suspended, and draws its screen again afterwards, on ${where}`, async () => {
  if (!hasTmux) return;
  const { service, program } = await inboxOnTerminal();
  const { terminal } = program;
  await terminal.shows("3 in the inbox");
  expect(terminal.showsCursor()).toBe(false);
  const processId = await program.processId();
  process.kill(processId, "SIGTSTP");
  const state = () => execFileSync("ps", ["-o", "stat=", "-p", String(processId)], { encoding: "utf8" });
  await eventually(() => expect(state()).toMatch(/^T/));
  expect(terminal.showsCursor()).toBe(true);
  terminal.wipe();
  process.kill(processId, "SIGCONT");
  await terminal.shows("3 in the inbox");
  await eventually(() => expect(terminal.showsCursor()).toBe(false));
  terminal.press("Enter");
  await terminal.shows("jk move");
  terminal.press("q", "q");
  expect(await program.exit()).toBe(0);
  await service.stop();
});
