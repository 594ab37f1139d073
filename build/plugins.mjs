import { existsSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");

/** Runs modules at build time and replaces them by the values that they export. */
export function asValues(...files) {
  const places = new Set(files.map(existing));
  return {
    name: "as-values",
    setup(building) {
      building.onLoad({ filter: /\.ts$/ }, async ({ path }) =>
        places.has(path) ? { contents: await valuesOf(path) } : undefined,
      );
    },
  };
}

async function valuesOf(path) {
  const made = await build({
    entryPoints: [path],
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  const code = Buffer.from(made.outputFiles[0].contents).toString("base64");
  const values = Object.entries(await import(`data:text/javascript;base64,${code}`));
  return values.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`).join("\n");
}

/** Keeps imports of modules that are built into files of their own, under the names of those files. */
export function builtApart(names) {
  const built = byPath(names);
  return {
    name: "built-apart",
    setup(building) {
      building.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const name = built.get(join(resolveDir, path));
        return name && { path: name, external: true };
      });
    },
  };
}

/**
 * Turns dynamic imports of these modules, of these packages and of Node's own modules into `require`, which does
 * not load Node's code for ES modules.
 */
export function required(modules, packages = []) {
  const namespace = "required";
  const built = byPath(modules);
  const nameOf = ({ path, resolveDir }) => {
    if (path.startsWith("node:") || packages.includes(path)) return path;
    return built.get(join(resolveDir, path));
  };
  return {
    name: "required",
    setup(building) {
      building.onResolve({ filter: /.*/ }, (imported) => {
        if (imported.namespace === namespace) return { path: imported.path, external: true };
        const name = imported.kind === "dynamic-import" ? nameOf(imported) : undefined;
        return name && { path: name, namespace };
      });
      building.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)});`,
      }));
    },
  };
}

/**
 * The names by the absolute paths of the modules. Throws for a module that does not exist, because it was moved.
 */
function byPath(names) {
  return new Map(Object.entries(names).map(([file, name]) => [existing(file), name]));
}

function existing(file) {
  const path = join(root, file);
  if (!existsSync(path)) throw new Error(`The build names ${file}, which does not exist.`);
  return path;
}

/** commander can start other programs as commands. Ours does not, and the module for it is slow to load. */
export function withoutChildProcesses() {
  return {
    name: "without-child-processes",
    setup(building) {
      building.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
        /[\\/]commander[\\/]/.test(importer) ? { path: "child_process", namespace: "nothing" } : undefined,
      );
      building.onLoad({ filter: /.*/, namespace: "nothing" }, () => ({ contents: "module.exports = {};" }));
    },
  };
}
