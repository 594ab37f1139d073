// Builds the files that `innkeep serve`, the command line and `innkeep mcp` load.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build, transform } from "esbuild";
import { allOf, bundlesOf, checkContents } from "./contents.mjs";
import {
  asValues,
  browserBundles,
  builtApart,
  fewTypes,
  packagesApart,
  required,
  undiciParts,
  wasmBeside,
  withoutUnused,
} from "./plugins.mjs";
import {
  agentServerAlias,
  cjs,
  esm,
  external,
  loadedLate,
  mailboxAlias,
  shared,
  sharedPackages,
} from "./settings.mjs";

/** Modules that the command line loads only when a command needs them, with the file that is built from each. */
const apart = {
  "bin/browser.ts": "./browser.js",
  // They contain zod, which only the commands that check a report or a proof need.
  "src/contract/feedback.ts": "./report-rules.cjs",
  "src/contract/tester.ts": "./report-rules.cjs",
  "src/cli/delivery/stored.lazy.ts": "./report-rules.cjs",
  // They contain markdown-it, which is needed only by the commands that read or write whole changelogs.
  "src/cli/changelog/notes/changelog-file.lazy.ts": "./release-notes.cjs",
  "src/cli/changelog/notes/changesets.lazy.ts": "./release-notes.cjs",
  "src/cli/changelog/notes/pieces.lazy.ts": "./release-notes.cjs",
  // It contains yaml and diff, which only the commands for FAQ files need.
  "src/cli/faq/packages.lazy.ts": "./faq-files.cjs",
  // They contain ink and react, which only the screens need.
  "src/cli/testing/task-screen.lazy.tsx": "./task-watch.js",
  "src/cli/feedback/inbox/screen.lazy.tsx": "./feedback-inbox.js",
};

const passkeyChecks = ["verifyAuthenticationResponse", "verifyRegistrationResponse"];

/** Large programs that must start fast. */
const finished = ["cli.cjs", "mcp.cjs", "mcp-session.cjs", "undici.cjs", "conf.cjs", "server.cjs"];

const partsOf = (name) => Object.keys(apart).filter((file) => apart[file] === name);

/**
 * Builds the programs into `dist` of a folder. Returns the built files, each with the list of source files that
 * it contains.
 */
export async function buildInto(folder) {
  const dist = join(folder, "dist");
  const results = await allOf({
    server: buildServer(dist),
    entry: buildEntry(dist),
    commandLine: buildCommandLine(dist),
    rules: buildApart(dist, "./report-rules.cjs"),
    notes: buildApart(dist, "./release-notes.cjs"),
    packages: buildLoadedLate(dist),
    yaml: buildShared(dist, "yaml", ["isMap", "isSeq", "parse", "parseDocument", "stringify"]),
    markdown: buildShared(dist, "markdown-it", []),
    postgres: buildShared(dist, "pg", ["Client", "DatabaseError", "Pool", "types"]),
    mail: buildShared(dist, "nodemailer", ["createTransport"]),
    passkeys: buildShared(dist, "@simplewebauthn/server", passkeyChecks),
    mailbox: buildShared(dist, "imapflow", ["ImapFlow"], mailboxAlias),
    mailParts: buildShared(dist, "postal-mime", []),
    mailHtml: buildShared(dist, "html-to-text", []),
    mailReplies: buildShared(dist, "email-reply-parser", []),
    agentServer: buildAgentServer(dist),
    agentTools: buildAgentTools(dist),
    views: buildViews(dist),
  });
  checkContents("programs", results);
  await Promise.all(finished.map((name) => finishProgram(join(dist, name))));
  return bundlesOf(results, folder);
}

/**
 * Builds the server and the operator's commands as one CommonJS file, because such a file starts fastest, and
 * tests start many servers. Local names inside functions are shortened. The names of functions, classes and
 * constants of modules are kept, because stack traces show them. The option `keepNames` is not used, because it
 * sets each name again whenever a nested function is created. The bundler cannot shorten only the local names.
 * So a second step shortens them. It keeps the top-level names, because it does not bundle the file.
 */
async function buildServer(outdir) {
  const built = await bundleServer(outdir);
  await mkdir(outdir, { recursive: true });
  await Promise.all(
    built.outputFiles.map(async ({ path, text }) => writeFile(path, await withShortLocals(text))),
  );
  return built;
}

function bundleServer(outdir) {
  return build({
    ...cjs,
    outdir,
    write: false,
    entryPoints: { server: "bin/server.ts", "argon2-thread": "server/secrets/argon2-thread.ts" },
    external,
    define: { ...cjs.define, BUILT_FOLDER: "__dirname" },
    // koa and accepts use different versions of this package. Both versions have the same functions and a large
    // list of types. So only one version is bundled.
    alias: {
      "mime-types": "./node_modules/mime-types",
      // The package also has another form, but the bundler cannot remove unused parts from that form.
      "hash-wasm": "./node_modules/hash-wasm/dist/index.esm.js",
    },
    plugins: [
      asValues(),
      browserBundles(),
      required(
        {
          "mcp/http.ts": "./mcp-session.cjs",
          // This module is loaded with the first request to an S3 store.
          "src/client/undici.lazy.ts": "./undici.cjs",
        },
        ["@node-rs/argon2"],
      ),
      packagesApart(sharedPackages),
      withoutUnused(),
      fewTypes(),
    ],
  });
}

async function withShortLocals(text) {
  const { target } = shared;
  const { code } = await transform(text, { target, minifyIdentifiers: true, minifyWhitespace: true });
  return code;
}

/** Builds the entry point in old syntax, so that an old version of Node can still print that it is too old. */
function buildEntry(outdir) {
  return build({
    ...cjs,
    outdir,
    entryPoints: {
      innkeep: "bin/innkeep.ts",
      "dev-server": "bin/dev-server.ts",
    },
    target: "es2015",
    banner: { js: "#!/usr/bin/env node" },
    plugins: [required({ "bin/main.ts": "./cli.cjs", "bin/server.ts": "./server.cjs" })],
  });
}

/** Builds one CommonJS file, because such a file starts fastest. Its modules run only when a command needs them. */
function buildCommandLine(outdir) {
  return build({
    ...cjs,
    outdir,
    entryPoints: { cli: "bin/main.ts", "update-check": "bin/update-check.ts" },
    minifyIdentifiers: true,
    external,
    plugins: [
      asValues(),
      required({ "mcp/stdio.ts": "./mcp.cjs", "bin/server.ts": "./server.cjs", ...loadedLate }, ["keytar"]),
      builtApart(apart),
      withoutUnused(),
    ],
  });
}

/** Builds the file with this name from all modules of the command line that belong to it. */
function buildApart(outdir, name) {
  return build({
    ...shared,
    stdin: {
      contents: partsOf(name)
        .map((file) => `export * from "./${file}";`)
        .join(""),
      resolveDir: process.cwd(),
    },
    outfile: join(outdir, name),
    format: "cjs",
    minifyIdentifiers: true,
    plugins: [packagesApart(sharedPackages)],
  });
}

function buildLoadedLate(outdir) {
  return build({
    ...cjs,
    outdir,
    minifyIdentifiers: true,
    plugins: [packagesApart(sharedPackages), withoutUnused(), undiciParts(), wasmBeside(outdir)],
    entryPoints: {
      undici: "src/client/undici.lazy.ts",
      conf: "src/credentials/conf.lazy.ts",
      "faq-files": "src/cli/faq/packages.lazy.ts",
      "parse-junit": "src/cli/feedback/junit/parse.lazy.ts",
      "find-files": "src/cli/feedback/junit/find-files.lazy.ts",
    },
  });
}

/**
 * Builds a file with the same exports as a package. Node finds the names of the exports only if the file
 * contains them as text.
 */
function buildShared(outdir, name, names, alias = {}) {
  return build({
    ...shared,
    stdin: { contents: `module.exports = require("${name}");`, resolveDir: process.cwd() },
    outfile: join(outdir, sharedPackages[name]),
    format: "cjs",
    minifyIdentifiers: true,
    external,
    alias,
    footer: { js: `0&&(module.exports={${names}});` },
  });
}

/** Builds the screens: ES modules without code of the server. */
function buildViews(outdir) {
  return build({
    ...esm,
    outdir,
    entryPoints: {
      browser: "bin/browser.ts",
      "task-watch": "src/cli/testing/task-screen.lazy.tsx",
      "feedback-inbox": "src/cli/feedback/inbox/screen.lazy.tsx",
    },
    splitting: true,
    minifyIdentifiers: true,
    plugins: [asValues(), withoutUnused(), wasmBeside(outdir)],
  });
}

/**
 * Rewrites a built program in ASCII, because Node reads and starts an ASCII file in a fraction of the time. The bundler
 * leaves other characters only in regular expressions, where an escape means the same.
 */
async function finishProgram(file) {
  const built = await readFile(file, "utf8");
  const ascii = built.replace(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  await writeFile(file, ascii);
}

/** Builds the start of the MCP server. Its first answers are computed at build time. */
function buildAgentServer(outdir) {
  return build({
    ...cjs,
    outdir,
    entryPoints: { mcp: "mcp/stdio.ts" },
    external,
    minifyIdentifiers: true,
    alias: agentServerAlias,
    plugins: [asValues(), required({ "mcp/session.ts": "./mcp-session.cjs", ...loadedLate })],
  });
}

/**
 * Builds the tools, over standard input and over HTTP. Both use the library of the protocol, which is large, without
 * its validator for JSON schemas.
 */
function buildAgentTools(outdir) {
  const files = ["mcp/session.ts", "mcp/http.ts"];
  return build({
    ...cjs,
    stdin: {
      contents: files.map((file) => `export * from "./${file}";`).join(""),
      resolveDir: process.cwd(),
    },
    outfile: join(outdir, "mcp-session.cjs"),
    external,
    minifyIdentifiers: true,
    alias: agentServerAlias,
    plugins: [asValues(), required(loadedLate)],
  });
}
