import { execFile } from "node:child_process";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { runToEnd } from "./installations.mjs";

const run = promisify(execFile);

/** Runs the example for Jest as a user does, with the tarball and Jest from the registry. Returns what is wrong. */
export async function jestFaults(folder, tarball) {
  const place = join(folder, "jest");
  await cp("examples/testing/jest", place, { recursive: true });
  const words = ["install", "--prefix", place, "--no-audit", "--no-fund", "--save-dev", tarball, "jest@30"];
  await run("npm", words, { cwd: place, timeout: 15 * 60_000 });
  const { code, stdout, stderr } = await runToEnd("npm", ["--prefix", place, "test"], process.env);
  return code === 0 && /3 passed, 3 total/.test(stderr) ? [] : [`exit ${code}`, stdout + stderr];
}
