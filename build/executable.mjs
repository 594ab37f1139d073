// Creates one file that needs no Node: the client's commands and `mcp`, inside a copy of the Node that runs this
// script.
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { inject } from "postject";
import { bundlesOf, writeBillOfExecutable, writeNotices } from "./contents.mjs";
import { asValues, replaced, required, undiciParts, withoutUnused } from "./plugins.mjs";
import { agentServerAlias, shared } from "./settings.mjs";

const run = promisify(execFile);
const [folder = "executable"] = process.argv.slice(2);
const isWindows = process.platform === "win32";
const isMac = process.platform === "darwin";
const file = join(folder, isWindows ? "innkeep.exe" : "innkeep");
const script = join(folder, "innkeep.cjs");
const blob = join(folder, "innkeep.blob");

const sentinelFuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

if (!(await readFile(process.execPath)).includes(sentinelFuse)) {
  process.stderr.write(
    "This Node cannot contain a program, because a part of it is in a library. Use Node from nodejs.org, or npm's package `node`.\n",
  );
  process.exit(1);
}
await mkdir(folder, { recursive: true });
await rm(file, { force: true });
const bundle = await bundleOfAll();
await refuseImports();
await writeNotices(join(folder, "THIRD-PARTY-NOTICES.txt"), bundlesOf({ bundle }), await noticeOfNode());
await writeBillOfExecutable(join(folder, "sbom.cdx.json"), bundlesOf({ bundle }));
await makeBlob();
await copyFile(process.execPath, file);
await chmod(file, 0o755);
if (isMac) await run("codesign", ["--remove-signature", file]);
await injectBlob();
if (isMac) await run("codesign", ["--sign", "-", file]);
await Promise.all([script, blob].map((made) => rm(made)));
const [{ size }, { size: ofNode }] = await Promise.all([stat(file), stat(process.execPath)]);
process.stdout.write(
  `${file}: ${size} bytes, ${size - ofNode} more than Node ${process.versions.node} for ${process.platform}-${process.arch}.\n`,
);

/**
 * Returns the licences of Node and its parts. In the archives from nodejs.org, they are in the same archive as
 * the program.
 */
async function noticeOfNode() {
  const { node } = process.versions;
  const above = join(dirname(process.execPath), "..");
  const places = [join(above, "LICENSE"), join(above, "share/doc/nodejs/LICENSE")];
  const texts = await Promise.all(places.map((place) => readFile(place, "utf8").catch(() => undefined)));
  const address = `https://github.com/nodejs/node/blob/v${node}/LICENSE`;
  return `Node.js ${node} (MIT, and the licences of its parts)\n${address}\n\n${texts.find(Boolean) ?? ""}`;
}

/**
 * Builds one CommonJS file, because an executable cannot load other files. Modules run only when a command
 * needs them.
 */
function bundleOfAll() {
  return build({
    ...shared,
    outfile: script,
    entryPoints: ["bin/executable.ts"],
    format: "cjs",
    // Node reads an ASCII text faster.
    charset: "ascii",
    target: `node${process.versions.node}`,
    minifyIdentifiers: true,
    alias: agentServerAlias,
    define: { ...shared.define, "import.meta.url": "INNKEEP_FILE_URL" },
    banner: { js: 'const INNKEEP_FILE_URL=require("node:url").pathToFileURL(__filename).href;' },
    plugins: [
      asValues(),
      replaced({
        "src/cli/testing/task-screen.lazy.tsx": "bin/no-screen.ts",
        "src/cli/feedback/inbox/screen.lazy.tsx": "bin/no-screen.ts",
      }),
      required({}),
      withoutUnused(),
      undiciParts(),
    ],
  });
}

/** Throws if the bundle imports a file: an executable can neither import nor require one. */
async function refuseImports() {
  const { imports } = Object.values(bundle.metafile.outputs)[0];
  const { builtinModules } = await import("node:module");
  const known = new Set(builtinModules.flatMap((name) => [name, `node:${name}`]));
  const isKnown = (path) => known.has(path) || path.startsWith("node:");
  const missing = imports.filter(({ path, kind }) => kind === "dynamic-import" || !isKnown(path));
  if (missing.length > 0)
    throw new Error(`These imports are not in the executable: ${missing.map(({ path }) => path).join(", ")}`);
}

/** Includes the compiled code of the script, which this version of Node has written. So it starts faster. */
async function makeBlob() {
  const config = join(folder, "sea.json");
  const options = { disableExperimentalSEAWarning: true, useCodeCache: true, useSnapshot: false };
  await writeFile(config, JSON.stringify({ main: script, output: blob, ...options }));
  await run(process.execPath, ["--experimental-sea-config", config]);
  await rm(config);
}

async function injectBlob() {
  await inject(file, "NODE_SEA_BLOB", await readFile(blob), {
    sentinelFuse,
    ...(isMac && { machoSegmentName: "NODE_SEA" }),
  });
}
