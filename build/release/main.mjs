// Checks a release from the outside: `npm run release:check`. It takes minutes and needs the npm registry.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checkExecutables } from "./executable.mjs";
import { checkInstallations, runToEnd } from "./installations.mjs";
import { packInto } from "./tarball.mjs";

let faulty = 0;
function report(what, faults) {
  faulty += faults.length;
  process.stdout.write(`${faults.length === 0 ? "ok    " : "FAULT "}${what}\n`);
  for (const fault of faults) process.stdout.write(`      ${fault}\n`);
}

/** A demo on a free port, which the client's commands talk to. */
async function startServer(folder) {
  const words = [
    "dist/innkeep.cjs",
    "serve",
    "--demo",
    "--json",
    "--port",
    "0",
    "--data",
    join(folder, "data"),
  ];
  const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface(child.stdout)) return { child, server: JSON.parse(line) };
  throw new Error("The demo did not start.");
}

/** The tests of what is inside the built files. */
async function testFaults() {
  const words = ["vitest", "run", "test/package", "--maxWorkers=1"];
  const { code, stdout, stderr } = await runToEnd("npx", words, process.env);
  return code === 0 ? [] : [stdout + stderr];
}

const folder = await mkdtemp(join(tmpdir(), "innkeep-release-"));
const { tarball, size, faults } = await packInto(folder);
report(`the tarball: ${size} bytes`, faults);
const { child, server } = await startServer(folder);
try {
  report("the bill of materials", await testFaults());
  await checkExecutables(folder, server, report);
  await checkInstallations(tarball, server, report);
} finally {
  child.kill();
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(faulty === 0 ? "The release can go out.\n" : `${faulty} faults.\n`);
process.exitCode = faulty === 0 ? 0 : 1;
