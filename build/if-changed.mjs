import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const outputFolders = ["dist", "action"];

/** All that a build reads. The benchmarks and the pictures are parts of the tests. */
const inputFolders = ["bin", "build", "mcp", "server", "src", "test/bench", "test/pictures", "test/support"];
const inputFiles = ["package.json", "package-lock.json", "tsconfig.json", "node_modules/.package-lock.json"];

/** What the last build read and wrote. */
const recordFile = "node_modules/.cache/innkeep-build.json";

const inputs = await hashOf([...(await filesIn(inputFolders)), ...inputFiles], process.version);
if (!(await isBuilt())) {
  await import("./main.mjs");
  await record();
}

/** Whether the last build had the same inputs, and the files that it wrote are unchanged. */
async function isBuilt() {
  if (!existsSync(recordFile)) return false;
  const last = JSON.parse(await readFile(recordFile, "utf8"));
  return (
    last.inputs === inputs && last.files.every(existsSync) && (await hashOf(last.files)) === last.outputs
  );
}

async function record() {
  const files = await filesIn(outputFolders);
  await mkdir(dirname(recordFile), { recursive: true });
  await writeFile(`${recordFile}.part`, JSON.stringify({ inputs, outputs: await hashOf(files), files }));
  await rename(`${recordFile}.part`, recordFile);
}

async function filesIn(folders) {
  const lists = await Promise.all(
    folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true })),
  );
  return lists
    .flat()
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

async function hashOf(files, more = "") {
  const hash = createHash("sha256").update(more);
  for (const file of files) {
    const content = await readFile(file);
    hash.update(`\0${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}
