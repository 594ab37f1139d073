import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundleForBrowsers } from "./browser.mjs";

export const root = join(import.meta.dirname, "..");

/**
 * Does not bundle these modules, because they are built into separate files. Each import becomes an import of
 * the built file. `names` contains the name of the built file for each module.
 */
export function builtApart(names) {
  const built = byPath(names);
  return {
    name: "built-apart",
    setup(building) {
      building.onResolve({ filter: anyOf(importsOf(names)) }, ({ path, resolveDir }) => {
        const name = built.get(join(resolveDir, path));
        return name && { path: name, external: true };
      });
    },
  };
}

/**
 * Replaces dynamic imports with `require`, which does not load Node's code for ES modules. Applies only to
 * these modules, to these packages, and to Node's own modules.
 */
export function required(modules, packages = []) {
  const namespace = "required";
  const built = byPath(modules);
  const filter = anyOf(["^node:", ...packages.map(exactly), ...importsOf(modules)]);
  const nameOf = ({ path, resolveDir }) => {
    if (path.startsWith("node:") || packages.includes(path)) return path;
    return built.get(join(resolveDir, path));
  };
  return {
    name: "required",
    setup(building) {
      building.onResolve({ filter: /.*/, namespace }, ({ path }) => ({ path, external: true }));
      building.onResolve({ filter }, (imported) => {
        const name = imported.kind === "dynamic-import" ? nameOf(imported) : undefined;
        return name && { path: name, namespace };
      });
      building.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)});`,
      }));
    },
  };
}

/** Returns patterns for the imports of these modules. Narrow patterns keep the build fast. */
const importsOf = (names) => Object.keys(names).map((file) => `^\\.(.*/)?${escaped(basename(file))}$`);

export const exactly = (text) => `^${escaped(text)}$`;

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export const anyOf = (patterns) => new RegExp(patterns.join("|"));

/**
 * Returns the names by the absolute paths of the modules. Throws for a module that does not exist: it may have been
 * moved.
 */
function byPath(names) {
  return new Map(Object.entries(names).map(([file, name]) => [existing(file), name]));
}

export function existing(file) {
  const path = join(root, file);
  if (!existsSync(path)) throw new Error(`The build names ${file}, which does not exist.`);
  return path;
}

/** Modules that packages load for features that are not used here. They are large, or slow to load. */
const unused = [
  // For commands in separate programs.
  { of: "commander", modules: /^node:child_process$/ },
  // For settings with a schema, and for their migrations.
  { of: "conf", modules: /^(ajv\/.*|ajv-formats|semver)$/ },
  // For the developer tools of React.
  { of: "ink", modules: /^\.\/devtools\.js$/ },
  // For traces, for programs with many processes, and for a kind of metric that is not used here.
  { of: "prom-client", modules: /^(@opentelemetry\/api|\.\/lib\/(cluster|pushgateway|summary))$/ },
  // For forms as bodies, and for HTTP/2, which is turned off.
  { of: "undici", modules: /^(\.\.\/web\/fetch\/body\.js|\.\/client-h2\.js)$/ },
  // For a log that a separate thread writes.
  { of: "pino", modules: /^\.\/(lib\/)?transport$/ },
];

/** Replaces these modules with empty ones. */
export function withoutUnused() {
  const namespace = "unused";
  const isUnused = ({ path, importer }) =>
    unused.some(({ of, modules }) => modules.test(path) && importer.includes(join("node_modules", of, "/")));
  return {
    name: "without-unused",
    setup(building) {
      building.onResolve({ filter: anyOf(unused.map(({ modules }) => modules.source)) }, (imported) =>
        isUnused(imported) ? { path: imported.path, namespace } : undefined,
      );
      building.onLoad({ filter: /.*/, namespace }, () => ({ contents: "module.exports = {};" }));
    },
  };
}

/**
 * Does not bundle these packages, because they are built into separate files. Each import becomes an import of
 * the built file. `names` contains the name of the built file for each package.
 */
export function packagesApart(names) {
  return {
    name: "packages-apart",
    setup(building) {
      building.onResolve({ filter: anyOf(Object.keys(names).map(exactly)) }, ({ path }) => ({
        path: names[path],
        external: true,
      }));
    },
  };
}

/** The media types that the server selects by a short name, such as `html`. The complete list has 150 kB. */
const types = [
  ...["text/html", "text/plain", "text/css", "text/javascript", "application/json", "image/svg+xml"],
  ...["application/octet-stream", "application/x-www-form-urlencoded"],
];

/** Reduces the list of media types to the list `types`. */
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

/** Reduces undici to the parts that are used here: without `fetch`, mocks, caches and web sockets. */
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
      // The package contains the parser in two versions. The version without vector instructions runs on every
      // processor.
      building.onLoad({ filter: /llhttp_simd-wasm\.js$/ }, () => ({
        contents: 'module.exports = require("./llhttp-wasm.js");',
      }));
    },
  };
}

/** Replaces modules with other modules. Keys and values are the paths of their files. */
export function replaced(names) {
  const built = byPath(names);
  return {
    name: "replaced",
    setup(building) {
      building.onResolve({ filter: anyOf(importsOf(names)) }, ({ path, resolveDir }) => {
        const name = built.get(join(resolveDir, path));
        return name && { path: existing(name) };
      });
    },
  };
}

/**
 * The modules of packages that contain WebAssembly as base64. For each module, `code` replaces the base64, and
 * reads the WebAssembly from a file.
 */
const wasmModules = [
  {
    path: /undici[\\/]lib[\\/]llhttp[\\/]llhttp-wasm\.js$/,
    literal: /'(AGFzbQ[\w+/=]+)'/,
    file: "llhttp.wasm",
    code: 'require("node:fs").readFileSync(__dirname + "/llhttp.wasm", "base64")',
  },
  {
    path: /yoga-layout[\\/]dist[\\/]binaries[\\/]yoga-wasm-base64-esm\.js$/,
    literal: /"data:application\/octet-stream;base64,(AGFzbQ[\w+/=]+)"/,
    file: "yoga.wasm",
    code: '"data:application/octet-stream;base64," + process.getBuiltinModule("node:fs").readFileSync(new URL("yoga.wasm", import.meta.url), "base64")',
  },
];

/**
 * Writes WebAssembly into files in the folder of the programs. As base64, it would take a third more space in
 * the package.
 */
export function wasmBeside(folder) {
  return {
    name: "wasm-beside",
    setup(building) {
      for (const module of wasmModules)
        building.onLoad({ filter: module.path }, async ({ path }) => ({
          contents: await withoutWasm(module, path, folder),
        }));
    },
  };
}

async function withoutWasm({ literal, file, code }, path, folder) {
  const text = await readFile(path, "utf8");
  const [, base64] = literal.exec(text) ?? [];
  if (base64 === undefined)
    throw new Error(`${path} no longer contains WebAssembly as base64. Check this file.`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, file), Buffer.from(base64, "base64"));
  return text.replace(literal, () => code);
}

/** The modules that the build runs. It writes their exported values into the bundles. */
const valueModules = [
  "src/client/routes.ts",
  "src/cli/core/choices.ts",
  "mcp/tool-list.ts",
  "mcp/build-time-answers.ts",
];

/** Replaces these modules with the values that they export. */
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
  return exportsOf(modules[place]);
}

const exportsOf = (values) =>
  Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join("\n");

/** Puts the scripts and the styles of the console into the module that bundles them for the tests. */
export function browserBundles() {
  const path = existing("server/console/browser/bundles.ts");
  return {
    name: "browser-bundles",
    setup(building) {
      building.onLoad({ filter: anyOf([exactly(path)]) }, () => ({
        contents: exportsOf(bundleForBrowsers()),
      }));
    },
  };
}

let running;

/**
 * Builds and runs the modules in `valueModules` together, because they share most imports. Does this only once
 * for all bundles.
 */
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
