import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { childProgram } from "../../support/programs/child-program.ts";

/** Prints that it is ready. After it was killed, another process keeps its output open for a moment. */
const server = `
const { spawn } = require("node:child_process");
const holder = ["-e", "setTimeout(() => {}, 1000)"];
spawn(process.execPath, holder, { stdio: ["ignore", "inherit", "ignore"], detached: true }).unref();
console.log(JSON.stringify({ baseUrl: "http://127.0.0.1:1", folder: process.env.FOLDER }));
process.stdin.resume();
`;

it("a program that stops its server ends after the server, even if the output of the server closes later", async () => {
  const folder = await temporaryFolder();
  const file = join(folder, "server.cjs");
  await writeFile(file, server);
  const program = await childProgram("test/support/programs/stop-server.ts");
  onTestFinished(program.remove);
  const child = program.start({ SERVER: file, FOLDER: join(folder, "data") });
  await child.ended();
  expect(child.lines).toEqual(["stopped"]);
});

/** Leaves a process that keeps its output open forever. */
const leaving = (then: string) => `
const { spawn } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const holder = ["-e", "setInterval(() => {}, 1000)"];
const left = spawn(process.execPath, holder, { stdio: ["ignore", "inherit", "ignore"], detached: true });
writeFileSync(process.env.FOLDER + ".pid", String(left.pid));
left.unref();
${then}
`;

it.each([
  [
    "is stopped",
    'console.log(JSON.stringify({ baseUrl: "http://127.0.0.1:1", folder: process.env.FOLDER })); process.stdin.resume();',
    ["stopped"],
  ],
  ["ends before it is ready", "process.exit(1);", []],
])(
  "a program whose server %s does not wait for processes that the server has left behind",
  async (_, then, lines) => {
    const folder = await temporaryFolder();
    const file = join(folder, "server.cjs");
    await writeFile(file, leaving(then));
    const program = await childProgram("test/support/programs/stop-server.ts");
    onTestFinished(program.remove);
    const child = program.start({ SERVER: file, FOLDER: join(folder, "data") });
    onTestFinished(async () => {
      process.kill(Number(await readFile(join(folder, "data.pid"), "utf8")));
    });
    await child.ended();
    expect(child.lines).toEqual(lines);
  },
);
