// Checks a release from the outside: `npm run release:check`. It takes minutes and needs the npm registry.
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundleFaults } from "./bundle.mjs";
import { checkExecutables } from "./executable.mjs";
import { checkInstallations, nodeFolder, runToEnd } from "./installations.mjs";
import { jestFaults } from "./jest.mjs";
import { packInto } from "./tarball.mjs";

let faulty = 0;
function report(what, faults) {
  faulty += faults.length;
  process.stdout.write(`${faults.length === 0 ? "ok    " : "FAULT "}${what}\n`);
  for (const fault of faults) process.stdout.write(`      ${fault}\n`);
}

/** A demo on a free port, for the client's commands. */
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

/** Runs tests with this version of Node. */
async function testFaults(node, files) {
  const words = ["node_modules/vitest/vitest.mjs", "run", files, "--maxWorkers=1"];
  const { code, stdout, stderr } = await runToEnd(node, words, process.env);
  return code === 0 ? [] : [stdout + stderr];
}

const folder = await mkdtemp(join(tmpdir(), "innkeep-release-"));
const { tarball, size, faults } = await packInto(folder);
report(`the tarball: ${size} bytes`, faults);
const { child, server } = await startServer(folder);
try {
  report("what is inside the built files", await testFaults(process.execPath, "test/package"));
  report("the example for Jest", await jestFaults(folder, tarball));
  // The first version of Node with its own password hashes (Argon2).
  const node = join(await nodeFolder(24), "node");
  report("the hashes of passwords", await testFaults(node, "test/slow/access/argon2.test.ts"));
  report("the bundle for one-click installation", await bundleFaults(join(folder, "bundle"), server));
  await checkExecutables(folder, server, report);
  await checkInstallations(tarball, server, report);
} finally {
  child.kill();
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(faulty === 0 ? "The release can go out.\n" : `${faulty} faults.\n`);
process.exitCode = faulty === 0 ? 0 : 1;
