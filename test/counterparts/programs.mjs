import { spawn } from "node:child_process";

/** Returns the command line that runs a command of npm packages on Node 22, from the registry or the cache of npm. */
export const onNode22 = (packages, words) => [
  "--yes",
  ...["node@22", ...packages].map((name) => `--package=${name}`),
  "--",
  ...words,
];

/** Runs a program to its end, for some minutes at most. Returns its exit code and its output. */
export async function run(file, words, { minutes = 5, input = "", ...options } = {}) {
  const signal = AbortSignal.timeout(minutes * 60_000);
  const child = spawn(file, words, { ...options, signal, killSignal: "SIGKILL" });
  const output = [child.stdout.toArray(), child.stderr.toArray()];
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const code = await new Promise((resolve) => child.on("close", resolve).on("error", () => resolve(-1)));
  const [stdout, stderr] = (await Promise.all(output)).map((chunks) => Buffer.concat(chunks).toString());
  return { code, stdout, stderr };
}

/** Runs a command of npm packages on Node 22 to its end. */
export const runPackages = (packages, words, options) => run("npx", onNode22(packages, words), options);

/** Collects results and prints them: a line for each test, with what is wrong. */
export function createReport() {
  const counts = { tried: 0, faulty: 0 };
  const report = (what, faults) => {
    counts.tried += 1;
    if (faults.length > 0) counts.faulty += 1;
    process.stdout.write(`${faults.length === 0 ? "ok    " : "FAULT "}${what}\n`);
    for (const fault of faults) process.stdout.write(`      ${fault}\n`);
  };
  const end = () => {
    process.stdout.write(`${counts.tried} tried, ${counts.faulty} with faults.\n`);
    process.exitCode = counts.faulty === 0 ? 0 : 1;
  };
  return { report, end };
}
