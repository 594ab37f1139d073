import { execFile, spawnSync } from "node:child_process";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { clientFaults, nodeFolder, runToEnd } from "./installations.mjs";

const run = promisify(execFile);
const mostBytes = 2_000_000;
const mostTimes = 1.5;

/** Builds the executable with each version of Node, and runs it without Node, without a home and without variables. */
export async function checkExecutables(folder, server, report) {
  for (const version of [20, 22, 24, 26]) {
    const node = join(await nodeFolder(version), "node");
    const place = join(folder, `executable-${version}`);
    await run(node, ["build/executable.mjs", place]);
    const file = join(place, "innkeep");
    const bytes = (await stat(file)).size - (await stat(node)).size;
    const times = startOf(file, node);
    const program = { file, env: { HOME: join(place, "home") } };
    report(
      `the executable with Node ${version}: Node and ${bytes} bytes, ${times.toFixed(2)} of the time of its start`,
      [
        ...(bytes > mostBytes ? [`${mostBytes} bytes are the limit.`] : []),
        ...(times > mostTimes ? [`${mostTimes} is the limit.`] : []),
        ...(await clientFaults(program, server)),
        ...(await serverFaults(program)),
      ],
    );
  }
}

/**
 * Returns the ratio of its start time to that of Node. It compares the fastest of many starts, because other work has
 * delayed the rest. Measures again while the machine is too busy.
 */
function startOf(file, node) {
  const once = (program, words) => {
    const start = performance.now();
    spawnSync(program, words, { env: {} });
    return performance.now() - start;
  };
  let [fastest, fastestOfNode] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 1; round <= 5; round += 1) {
    for (let start = 1; start <= 40; start += 1) {
      fastest = Math.min(fastest, once(file, ["--version"]));
      fastestOfNode = Math.min(fastestOfNode, once(node, ["-e", "0"]));
    }
    if (fastest / fastestOfNode <= mostTimes) break;
  }
  return fastest / fastestOfNode;
}

async function serverFaults({ file, env }) {
  const { code, stdout, stderr } = await runToEnd(file, ["serve"], env);
  const isRight = code === 1 && stdout === "" && stderr.includes("Install the package with npm");
  return isRight ? [] : [`serve: exit ${code}, ${stdout}${stderr}`];
}
