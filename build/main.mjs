import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { buildAgentServer, buildAgentTools } from "./agent-bundles.mjs";
import { writeBillOfMaterials } from "./bill-of-materials.mjs";
import { allOf, bundlesOf } from "./bundles.mjs";
import { checkContents } from "./contents.mjs";
import { finishProgram } from "./finish-program.mjs";
import { writeNotices } from "./notices.mjs";
import {
  asValues,
  builtApart,
  fewTypes,
  packagesApart,
  required,
  undiciParts,
  withoutUnused,
} from "./plugins.mjs";
import { cjs, esm, external, folderIs, mailboxAlias, outdir, shared, sharedPackages } from "./settings.mjs";
import { shortLocals } from "./short-locals.mjs";
import { buildTools } from "./tools.mjs";
import { wasmBeside } from "./wasm.mjs";

const actionFolder = "action";

/** Modules that the command line loads only when a command needs them, with the file that is built from each. */
const apart = {
  "bin/browser.ts": "./browser.js",
  // They hold zod, which only the commands that check a report or a proof need.
  "src/contract/feedback.ts": "./report-rules.cjs",
  "src/contract/tester.ts": "./report-rules.cjs",
  "src/cli/feedback/spool/stored-feedback.ts": "./report-rules.cjs",
  "src/cli/testing/proof/stored-proof.ts": "./report-rules.cjs",
  // They hold markdown-it, which only the commands that read or write whole changelogs need.
  "src/cli/content/notes/changelog-file.ts": "./release-notes.cjs",
  "src/cli/content/notes/changesets.ts": "./release-notes.cjs",
  "src/cli/content/notes/pieces.ts": "./release-notes.cjs",
  // It holds yaml and diff, which only the commands for FAQ files need.
  "src/cli/content/faq-files/source/packages.ts": "./faq-files.cjs",
  // They hold ink and react, which only the screens need.
  "src/cli/views/task-watch.tsx": "./task-watch.js",
  "src/cli/views/feedback-inbox.tsx": "./feedback-inbox.js",
};

/** Packages, each in a file of its own: they are slow to load, and most calls need none of them. */
const loadedLate = {
  "src/client/transport/undici.ts": "./undici.cjs",
  "src/credentials/conf.ts": "./conf.cjs",
  "src/cli/feedback/junit/parse-junit.ts": "./parse-junit.cjs",
  "src/cli/feedback/junit/find-files.ts": "./find-files.cjs",
};

const passkeyChecks = ["verifyAuthenticationResponse", "verifyRegistrationResponse"];

const partsOf = (name) => Object.keys(apart).filter((file) => apart[file] === name);

for (const folder of [outdir, actionFolder]) await rm(folder, { recursive: true, force: true });
const { action, ...inPackage } = await allOf({
  frontDoor: buildFrontDoor(),
  commandLine: buildCommandLine(),
  rules: buildApart("./report-rules.cjs"),
  notes: buildApart("./release-notes.cjs"),
  packages: buildLoadedLate(),
  yaml: buildShared("yaml", ["isMap", "isSeq", "parse", "parseDocument", "stringify"]),
  markdown: buildShared("markdown-it", []),
  postgres: buildShared("pg", ["Client", "DatabaseError", "Pool", "types"]),
  mail: buildShared("nodemailer", ["createTransport"]),
  passkeys: buildShared("@simplewebauthn/server", passkeyChecks),
  mailbox: buildShared("imapflow", ["ImapFlow"], mailboxAlias),
  mailParts: buildShared("postal-mime", []),
  agentServer: buildAgentServer(loadedLate),
  agentTools: buildAgentTools(loadedLate),
  server: buildServer(),
  views: buildViews(),
  library: buildLibrary(),
  testing: buildTesting(),
  action: buildAction(),
});
for (const name of ["cli.cjs", "mcp.cjs", "mcp-session.cjs", "undici.cjs", "conf.cjs", "server.cjs"])
  await finishProgram(join(outdir, name));
checkContents({ ...inPackage, action });
const bundles = bundlesOf(inPackage);
await writeFile(join(outdir, "inputs.json"), JSON.stringify(bundles, null, 1));
await writeNotices(join(outdir, "THIRD-PARTY-NOTICES.txt"), bundles);
await writeNotices(join(actionFolder, "THIRD-PARTY-NOTICES.txt"), bundlesOf({ action }));
await writeBillOfMaterials(join(outdir, "sbom.cdx.json"), bundles);
await buildTools(shared);

/** Uses old syntax, so that an old version of Node can still print that it is too old. */
function buildFrontDoor() {
  return build({
    ...cjs,
    entryPoints: {
      innkeep: "bin/innkeep.ts",
      "cached-start": "bin/cached-start.ts",
      "dev-server": "bin/dev-server.ts",
    },
    target: "es2015",
    banner: { js: "#!/usr/bin/env node" },
    plugins: [required({ "bin/main.ts": "./cli.cjs", "bin/cached-start.ts": "./cached-start.cjs" })],
  });
}

/** One CommonJS file, because that starts fastest. Its modules run only when a command needs them. */
function buildCommandLine() {
  return build({
    ...cjs,
    entryPoints: { cli: "bin/main.ts", "update-check": "bin/update-check.ts" },
    minifyIdentifiers: true,
    external,
    plugins: [
      asValues("src/client/calls/routes.ts", "src/cli/core/input/choices.ts"),
      required({ "mcp/stdio.ts": "./mcp.cjs", "bin/server.ts": "./server.cjs", ...loadedLate }, ["keytar"]),
      builtApart(apart),
      withoutUnused(),
    ],
  });
}

/** A file with all modules of the command line that are built into it. */
function buildApart(name) {
  return build({
    ...shared,
    stdin: {
      contents: partsOf(name)
        .map((file) => `export * from "./${file}";`)
        .join(""),
      resolveDir: process.cwd(),
    },
    outdir: undefined,
    outfile: join(outdir, name),
    format: "cjs",
    minifyIdentifiers: true,
    plugins: [packagesApart(sharedPackages)],
  });
}

function buildLoadedLate() {
  return build({
    ...cjs,
    minifyIdentifiers: true,
    plugins: [packagesApart(sharedPackages), withoutUnused(), undiciParts(), wasmBeside()],
    entryPoints: {
      undici: "src/client/transport/undici.ts",
      conf: "src/credentials/conf.ts",
      "faq-files": "src/cli/content/faq-files/source/packages.ts",
      "parse-junit": "src/cli/feedback/junit/parse-junit.ts",
      "find-files": "src/cli/feedback/junit/find-files.ts",
    },
  });
}

/** Each exports what the package exports. Node finds the names only if they stand in the file. */
function buildShared(name, names, alias = {}) {
  return build({
    ...shared,
    stdin: { contents: `module.exports = require("${name}");`, resolveDir: process.cwd() },
    outdir: undefined,
    outfile: join(outdir, sharedPackages[name]),
    format: "cjs",
    minifyIdentifiers: true,
    external,
    alias,
    footer: { js: `0&&(module.exports={${names}});` },
  });
}

/** The server and the operator's commands. One CommonJS file, because that starts fastest: tests start many servers. */
function buildServer() {
  return build({
    ...cjs,
    entryPoints: { server: "bin/server.ts", "argon2-thread": "server/secrets/argon2/thread-entry.ts" },
    external,
    define: { ...cjs.define, BUILT_FOLDER: "__dirname" },
    // The package of koa and that of accepts have the same functions. Their lists of types are large.
    alias: {
      "mime-types": "./node_modules/mime-types",
      // Of the package's other form no part can be left out.
      "hash-wasm": "./node_modules/hash-wasm/dist/index.esm.js",
    },
    plugins: [
      asValues("src/client/calls/routes.ts"),
      required(
        {
          "mcp/http/http-tools.ts": "./mcp-session.cjs",
          // Loaded with the first request to an S3 store.
          "src/client/transport/undici.ts": "./undici.cjs",
        },
        ["@node-rs/argon2"],
      ),
      packagesApart(sharedPackages),
      withoutUnused(),
      fewTypes(),
      // Others may load a file first, so this is the last one.
      shortLocals(),
    ],
  });
}

/** What people see: modules for ES only, and with nothing of the server. */
function buildViews() {
  return build({
    ...esm,
    entryPoints: {
      browser: "bin/browser.ts",
      "task-watch": "src/cli/views/task-watch.tsx",
      "feedback-inbox": "src/cli/views/feedback-inbox.tsx",
    },
    splitting: true,
    minifyIdentifiers: true,
    plugins: [asValues("src/client/calls/routes.ts"), withoutUnused(), wasmBeside()],
  });
}

/** What programs import: the typed client, and the session reporter, which also runs without Node.js. */
function buildLibrary() {
  return build({
    ...shared,
    entryPoints: { index: "src/index.ts", reporter: "src/reporter/session-reporter.ts" },
    format: "esm",
    plugins: [asValues("src/client/calls/routes.ts"), builtApart(loadedLate)],
  });
}

/** What tests of apps import, for both kinds of modules. */
function buildTesting() {
  const entryPoints = { testing: "src/local/testing.ts" };
  return Promise.all([
    build({ ...shared, entryPoints, format: "esm", define: folderIs("import.meta.dirname") }),
    build({ ...cjs, entryPoints, define: folderIs("__dirname") }),
  ]);
}

/** The step of GitHub Actions: it runs from a tag of the repository, without packages. See action.yml. */
function buildAction() {
  return build({
    ...cjs,
    outdir: actionFolder,
    entryPoints: { main: "bin/action.ts", pre: "bin/action-pre.ts" },
    plugins: [
      asValues("src/client/calls/routes.ts", "src/cli/core/input/choices.ts"),
      builtApart({
        "src/cli/views/task-watch.tsx": "./task-watch.js",
        "src/cli/views/feedback-inbox.tsx": "./feedback-inbox.js",
      }),
      withoutUnused(),
      undiciParts(),
    ],
  });
}
