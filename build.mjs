import { hash } from "node:crypto";
import { appendFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const outdir = "dist";
const { version } = JSON.parse(await readFile("package.json", "utf8"));

const shared = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  outdir,
  charset: "utf8",
  legalComments: "none",
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  logLevel: "warning",
  define: { INNKEEP_VERSION: JSON.stringify(version), "process.env.NODE_ENV": '"production"' },
};

const cjs = { ...shared, format: "cjs", outExtension: { ".js": ".cjs" } };

/** Native modules, and what only some installations have, stay packages of their own. */
const external = ["sqlite3", "keytar", "pg-native", "@node-rs/argon2", "react-devtools-core"];

/** What the command line opens only when it is called, and under which name it is built. */
const apart = {
  "../server/main.ts": "./server.js",
  "../server/admin.ts": "./admin.js",
  "./browser.ts": "./browser.js",
  // With zod inside, which only the commands that check a report or a proof need.
  "../../contract/feedback.ts": "./report-rules.cjs",
  "./stored-report.ts": "./report-rules.cjs",
  "../../contract/tester.ts": "./report-rules.cjs",
  "./stored-proof.ts": "./report-rules.cjs",
  // With ink and react inside, which only the one screen needs.
  "../views/task-watch.tsx": "./task-watch.js",
};

/** What reports and proofs must be, and how they lie on disk. */
const rulesOfReports = [
  "./src/contract/feedback.ts",
  "./src/contract/tester.ts",
  "./src/cli/feedback/stored-report.ts",
  "./src/cli/proof/stored-proof.ts",
];

const madeNow = ["src/client/routes.ts", "mcp/listed.ts", "mcp/prepared.ts"];
await rm(outdir, { recursive: true, force: true });
const [frontDoor, commandLine, rules, agentServer, programs, library] = await Promise.all([
  buildFrontDoor(),
  buildCommandLine(),
  buildReportRules(),
  buildAgentServer(),
  buildPrograms(),
  buildLibrary(),
  buildBenchmarks(),
]);
// The code that V8 made of a file is found again by the hash at its end.
for (const file of ["cli.cjs", "mcp.cjs", "mcp-session.cjs"].map((name) => join(outdir, name)))
  await appendFile(file, `//${hash("sha256", await readFile(file))}`);
checkWhatStarts(commandLine.metafile);
await writeNotices([frontDoor, commandLine, rules, agentServer, programs, library]);

/** In old syntax, because an old Node must be able to read the refusal. */
function buildFrontDoor() {
  return build({
    ...cjs,
    entryPoints: { innkeep: "bin/innkeep.ts", "cached-start": "bin/cached-start.ts" },
    target: "es2015",
    banner: { js: "#!/usr/bin/env node" },
    plugins: [required({ "./main.ts": "./cli.cjs", "./cached-start.ts": "./cached-start.cjs" })],
  });
}

/** One CommonJS file: that starts fastest. Its modules still run only when a command wants them. */
function buildCommandLine() {
  return build({
    ...cjs,
    entryPoints: { cli: "bin/main.ts" },
    minifyIdentifiers: true,
    external,
    plugins: [
      asValues("src/client/routes.ts", "src/cli/choices.ts"),
      required({ keytar: "keytar", "./mcp.ts": "./mcp.cjs" }),
      elsewhere(apart),
      withoutChildProcesses(),
    ],
  });
}

function buildReportRules() {
  return build({
    ...shared,
    stdin: {
      contents: rulesOfReports.map((file) => `export * from "${file}";`).join(""),
      resolveDir: import.meta.dirname,
    },
    outdir: undefined,
    outfile: join(outdir, "report-rules.cjs"),
    format: "cjs",
  });
}

/** The MCP server, likewise. Its first answers are made now; the SDK is apart, without its checker of JSON schemas. */
function buildAgentServer() {
  return build({
    ...cjs,
    entryPoints: { mcp: "bin/mcp.ts", "mcp-session": "mcp/session.ts" },
    external,
    alias: { "@modelcontextprotocol/server/_shims": "./mcp/protocol-shims.ts" },
    plugins: [asValues(...madeNow), required({ "./session.ts": "./mcp-session.cjs" })],
  });
}

/** The server and the operator's commands, in pieces that they share. */
function buildPrograms() {
  return build({
    ...shared,
    entryPoints: {
      ...{ server: "server/main.ts", admin: "server/admin.ts", browser: "bin/browser.ts" },
      "task-watch": "src/cli/views/task-watch.tsx",
    },
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    external,
    banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
    plugins: [asValues("src/client/routes.ts")],
  });
}

/** What programs import: the typed client, and the session reporter, which runs without Node.js, too. */
function buildLibrary() {
  return build({
    ...shared,
    entryPoints: { index: "src/index.ts", reporter: "src/reporter/session-reporter.ts" },
    format: "esm",
    plugins: [asValues("src/client/routes.ts")],
  });
}

/** The benchmarks run on the dependencies as they are installed; they are no part of the package. */
async function buildBenchmarks() {
  const folder = "test/bench";
  const bare = (await readdir(folder)).filter((name) => name.startsWith("bare-"));
  const servers = bare.map((name) => [name.replace(/\.ts$/, ""), join(folder, name)]);
  await build({
    ...shared,
    entryPoints: { bench: `${folder}/main.ts`, ...Object.fromEntries(servers) },
    format: "esm",
    packages: "external",
  });
}

/** Runs the modules now and puts the values they export in their place: what made them is not needed later. */
function asValues(...files) {
  const places = new Set(files.map((file) => join(import.meta.dirname, file)));
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

/** Leaves imports of what is built by itself, under its built name. */
function elsewhere(names) {
  return {
    name: "elsewhere",
    setup(building) {
      building.onResolve({ filter: /.*/ }, ({ path }) =>
        path in names ? { path: names[path], external: true } : undefined,
      );
    },
  };
}

/** Turns dynamic imports of these, and of Node's own modules, into `require`: that loads no machinery for modules. */
function required(names) {
  const namespace = "required";
  return {
    name: "required",
    setup(building) {
      building.onResolve({ filter: /.*/ }, ({ path, kind, namespace: from }) => {
        if (from === namespace) return { path, external: true };
        if (kind !== "dynamic-import" || !(path in names || path.startsWith("node:"))) return undefined;
        return { path: names[path] ?? path, namespace };
      });
      building.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: `module.exports = require(${JSON.stringify(path)});`,
      }));
    },
  };
}

/** commander can start other programs as commands. Ours does not, and the module for it is slow to load. */
function withoutChildProcesses() {
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

/** Fails the build where the command line has inside what it does not need: starting fast is a promise. */
function checkWhatStarts({ inputs }) {
  const heavy =
    /^(server|mcp)\/|node_modules\/(@koa|@modelcontextprotocol|conf|ink|koa|open|pg|react|sqlite3|undici|zod)\//;
  const found = Object.keys(inputs).find((input) => heavy.test(input));
  if (found) throw new Error(`The command line has ${found} inside. Build what needs it apart.`);
}

/** The licences of everything that is inside the bundles. */
async function writeNotices(results) {
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const folders = new Set(
    inputs.flatMap((input) => input.match(/^.*node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []),
  );
  const notices = await Promise.all([...folders].sort().map(noticeOf));
  await writeFile(join(outdir, "THIRD-PARTY-NOTICES.txt"), notices.join(`\n${"-".repeat(80)}\n\n`));
}

async function noticeOf(folder) {
  const { name, version: its, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
  const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
  return [`${name} ${its} (${license})\n`, ...texts].join("\n");
}
