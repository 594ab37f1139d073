import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { anyOf, exactly, existing, root } from "./plugins.mjs";

/** Modules that the build runs, to keep the values that they export. */
const valueModules = [
  "src/client/calls/routes.ts",
  "src/cli/core/input/choices.ts",
  "mcp/tools/tool-list.ts",
  "mcp/start/build-time-answers.ts",
];

/** Replaces these modules by the values that they export. */
export function asValues() {
  const paths = valueModules.map(existing);
  return {
    name: "as-values",
    setup(building) {
      building.onLoad({ filter: anyOf(paths.map(exactly)) }, async ({ path }) => ({
        contents: await valuesOf(paths.indexOf(path)),
      }));
    },
  };
}

async function valuesOf(place) {
  const modules = await allValues();
  return Object.entries(modules[place])
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join("\n");
}

let running;

/** They share most of what they import, so they are built and run together, and once for all bundles. */
function allValues() {
  running ??= runValueModules();
  return running;
}

async function runValueModules() {
  const place = await mkdtemp(join(tmpdir(), "innkeep-values-"));
  try {
    const outfile = join(place, "values.mjs");
    const contents = valueModules.map((file, at) => `export * as module${at} from "./${file}";`).join("");
    await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
    });
    const modules = await import(pathToFileURL(outfile));
    return valueModules.map((_, at) => modules[`module${at}`]);
  } finally {
    await rm(place, { recursive: true });
  }
}
