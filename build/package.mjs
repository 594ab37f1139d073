// Builds the files that only the published package and the action have, in addition to the programs.
import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { allOf, bundlesOf, checkContents, writeBillOfMaterials, writeNotices } from "./contents.mjs";
import { asValues, builtApart, undiciParts, withoutUnused } from "./plugins.mjs";
import { cjs, folderIs, loadedLate, shared } from "./settings.mjs";

const typescript = join(import.meta.dirname, "..", "node_modules", "typescript", "bin", "tsc");

/**
 * Builds these files into `dist` and `action` of a folder. `programs` are the bundles of the programs. Returns
 * the new bundles.
 */
export async function buildInto(folder, programs) {
  const [dist, actionFolder] = [join(folder, "dist"), join(folder, "action")];
  const { results } = await allOf({ results: bundleAll(dist, actionFolder), types: writeTypes(dist) });
  checkContents("package", results);
  const { action, ...own } = results;
  const bundles = bundlesOf(own, folder);
  const inPackage = { ...programs, ...bundles };
  await writeNotices(join(dist, "THIRD-PARTY-NOTICES.txt"), inPackage);
  await writeNotices(join(actionFolder, "THIRD-PARTY-NOTICES.txt"), bundlesOf({ action }, folder));
  await writeBillOfMaterials(join(dist, "sbom.cdx.json"), inPackage);
  return bundles;
}

function bundleAll(dist, actionFolder) {
  return allOf({
    library: buildLibrary(dist),
    testing: buildTesting(dist),
    action: buildAction(actionFolder),
  });
}

/**
 * Builds the modules that programs import: the typed client, and the session reporter, which also runs without Node.js.
 */
function buildLibrary(outdir) {
  return build({
    ...shared,
    outdir,
    entryPoints: { index: "src/index.ts", reporter: "src/reporter.ts" },
    format: "esm",
    plugins: [asValues(), builtApart(loadedLate)],
  });
}

/** Builds the module that tests of apps import: as an ES module and as a CommonJS module. */
function buildTesting(outdir) {
  const entryPoints = { testing: "src/local/testing.ts" };
  return Promise.all([
    build({ ...shared, outdir, entryPoints, format: "esm", define: folderIs("import.meta.dirname") }),
    build({ ...cjs, outdir, entryPoints, define: folderIs("__dirname") }),
  ]);
}

/** Builds the step of GitHub Actions. It runs from a tag of the repository, without packages. See action.yml. */
function buildAction(outdir) {
  return build({
    ...cjs,
    outdir,
    entryPoints: { main: "bin/action.ts", pre: "bin/action-pre.ts" },
    plugins: [
      asValues(),
      builtApart({
        "src/cli/testing/task-screen.lazy.tsx": "./task-watch.js",
        "src/cli/feedback/inbox/screen.lazy.tsx": "./feedback-inbox.js",
      }),
      withoutUnused(),
      undiciParts(),
    ],
  });
}

async function writeTypes(dist) {
  const words = [typescript, "-p", "tsconfig.types.json", "--outDir", join(dist, "types")];
  await promisify(execFile)(process.execPath, words);
  // A CommonJS program needs the types in a separate file. That file imports no other file.
  await copyFile(join(dist, "types", "local", "testing.d.ts"), join(dist, "testing.d.cts"));
}
