// Builds a target, unless nothing has changed since the last build: `node build/if-changed.mjs [programs | package |
// tools]`.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";

/** The sources and the settings that every build reads. */
const folders = ["bin", "build", "mcp", "server", "src"];
const files = ["package.json", "package-lock.json", "tsconfig.json", "node_modules/.package-lock.json"];

/** The files that each target reads, and the target that must be built before it. */
const targets = {
  /** The targets that `npm start` and most tests need. */
  programs: { folders, files },
  /** The additional files for npm and GitHub Actions. */
  package: { folders, files: [...files, "tsconfig.types.json"], before: "programs" },
  /** The files for the benchmarks and for the pictures. */
  tools: { folders: [...folders, "test/bench", "test/pictures", "test/support"], files, before: "programs" },
};

const [name = "programs", option] = process.argv.slice(2);

if (!Object.hasOwn(targets, name)) stop(`There is no target ${name}.`);
if (option !== undefined && option !== "--afresh") stop(`There is no option ${option}.`);
// These variables turn off the garbage collection of esbuild, which took a third of its time.
Object.assign(process.env, { GOGC: "off", GOMEMLIMIT: "1GiB" });
// If a person stops the build, this calls the handlers of `exit`, which remove the temporary folder.
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
if (option === "--afresh")
  for (const folder of ["dist", "action"]) await rm(folder, { recursive: true, force: true });
await bringUpToDate(name);

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

/**
 * Builds the target unless it is up to date. Returns its bundles. Tries again if the sources or the outputs
 * have changed during the build. Throws an error after five attempts.
 */
async function bringUpToDate(name) {
  const { before } = targets[name];
  for (let tries = 0; tries < 5; tries += 1) {
    const bundles = before && (await bringUpToDate(before));
    const inputs = inputsOf(targets[name]);
    const last = readRecord(name);
    if (last?.inputs === inputs && isWhole(last.outputs)) return last.bundles;
    await build(name, inputs, bundles);
  }
  throw new Error("The sources changed during each build. Start it again.");
}

/**
 * Builds into a temporary folder, and then moves the files to their places. So programs that load the outputs
 * always find complete files.
 */
async function build(name, inputs, bundlesBefore) {
  const { buildInto } = await import(`./${name}.mjs`);
  const place = await mkdtemp(".build-");
  process.once("exit", () => rmSync(place, { recursive: true, force: true }));
  const bundles = await buildInto(place, bundlesBefore);
  await publish(name, { inputs, outputs: outputsIn(place), bundles }, place);
}

async function publish(name, record, place) {
  const before = Object.keys(readRecord(name)?.outputs ?? {});
  for (const file of Object.keys(record.outputs)) {
    await mkdir(dirname(file), { recursive: true });
    await rename(join(place, file), file);
  }
  for (const file of before) if (!Object.hasOwn(record.outputs, file)) await rm(file, { force: true });
  await writeFile(join(place, "record"), JSON.stringify(record, null, 1));
  await rename(join(place, "record"), recordOf(name));
}

/** Returns the file of the record. It is in the folder of the outputs, so that it is removed with them. */
function recordOf(name) {
  return join("dist", `built-${name}.json`);
}

function readRecord(name) {
  const file = recordOf(name);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

function isWhole(outputs) {
  return Object.entries(outputs).every(([file, hash]) => existsSync(file) && hashOf(file) === hash);
}

function outputsIn(place) {
  return Object.fromEntries(filesIn(place).map((file) => [relative(place, file), hashOf(file)]));
}

function inputsOf({ folders, files }) {
  const all = [...folders.flatMap(filesIn), ...files];
  const lines = all.map((file) => `${hashOf(file)} ${file}\n`);
  return createHash("sha256").update(process.version).update(lines.join("")).digest("hex");
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function hashOf(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
