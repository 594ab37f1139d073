import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
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

/** Modules that packages load for features which nothing here uses: they are large, or slow to load. */
const unused = [
  // For commands that are programs of their own.
  { of: "commander", modules: /^node:child_process$/ },
  // For settings with a schema, and for their migrations.
  { of: "conf", modules: /^(ajv\/.*|ajv-formats|semver)$/ },
  // For the developer tools of React.
  { of: "ink", modules: /^\.\/devtools\.js$/ },
  // For traces, for programs of many processes, and for a kind of figure that nothing here counts.
  { of: "prom-client", modules: /^(@opentelemetry\/api|\.\/lib\/(cluster|pushgateway|summary))$/ },
  // For forms as bodies, and for HTTP/2, which is off.
  { of: "undici", modules: /^(\.\.\/web\/fetch\/body\.js|\.\/client-h2\.js)$/ },
  // For a log that a thread of its own writes.
  { of: "pino", modules: /^\.\/(lib\/)?transport$/ },
];

/** Replaces these modules by empty ones. */
export function withoutUnused() {
  const namespace = "unused";
  const isUnused = ({ path, importer }) =>
    unused.some(({ of, modules }) => modules.test(path) && importer.includes(join("node_modules", of, "/")));
  return {
    name: "without-unused",
    setup(building) {
      building.onResolve({ filter: /.*/ }, (imported) =>
        isUnused(imported) ? { path: imported.path, namespace } : undefined,
      );
      building.onLoad({ filter: /.*/, namespace }, () => ({ contents: "module.exports = {};" }));
    },
  };
}

/** Keeps imports of packages that are built into files of their own, under the names of those files. */
export function packagesApart(names) {
  return {
    name: "packages-apart",
    setup(building) {
      building.onResolve({ filter: /^[^./]/ }, ({ path }) =>
        Object.hasOwn(names, path) ? { path: names[path], external: true } : undefined,
      );
    },
  };
}

/** The types of files that a server sends or accepts by their short names. The list of all has 150 kB. */
const types = [
  ...["text/html", "text/plain", "text/css", "text/javascript", "application/json", "image/svg+xml"],
  ...["application/octet-stream", "application/x-www-form-urlencoded"],
];

/** The list of types with these only. */
export function fewTypes() {
  return {
    name: "few-types",
    setup(building) {
      building.onLoad({ filter: /mime-db[\\/]db\.json$/ }, async ({ path }) => {
        const all = JSON.parse(await readFile(path, "utf8"));
        const some = Object.fromEntries(types.map((type) => [type, all[type]]));
        return { contents: JSON.stringify(some), loader: "json" };
      });
    },
  };
}

/** undici without `fetch`, mocks, caches and sockets of the web: most of the package, which nothing here uses. */
export function undiciParts() {
  const part = (name, file) => `${name}: require("./lib/dispatcher/${file}")`;
  const parts = [
    part("Agent", "agent"),
    part("EnvHttpProxyAgent", "env-http-proxy-agent"),
    part("Pool", "pool"),
  ];
  const methods = 'Object.assign(require("./lib/dispatcher/dispatcher").prototype, require("./lib/api"));';
  return {
    name: "undici-parts",
    setup(building) {
      building.onLoad({ filter: /node_modules[\\/]undici[\\/]index\.js$/ }, () => ({
        contents: `${methods}module.exports = { ${parts.join(", ")} };`,
      }));
      // The parser is there twice. Without vectors it runs on every processor.
      building.onLoad({ filter: /llhttp_simd-wasm\.js$/ }, () => ({
        contents: 'module.exports = require("./llhttp-wasm.js");',
      }));
    },
  };
}

/** Puts other modules in the place of these, by their files. */
export function replaced(names) {
  const built = byPath(names);
  return {
    name: "replaced",
    setup(building) {
      building.onResolve({ filter: /^\./ }, ({ path, resolveDir }) => {
        const name = built.get(join(resolveDir, path));
        return name && { path: existing(name) };
      });
    },
  };
}
