import { readFile } from "node:fs/promises";

const { version } = JSON.parse(await readFile("package.json", "utf8"));

export const shared = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  charset: "utf8",
  legalComments: "none",
  minifySyntax: true,
  minifyWhitespace: true,
  metafile: true,
  logLevel: "warning",
  define: { INNKEEP_VERSION: JSON.stringify(version), "process.env.NODE_ENV": '"production"' },
};

/** Packages that are not bundled: native modules, and modules that only some installations have. */
export const external = ["sqlite3", "keytar", "pg-native", "@node-rs/argon2", "react-devtools-core"];

/**
 * The settings for a CommonJS file. Characters that are not ASCII are escaped, because then Node reads and starts the
 * file in a fraction of the time.
 */
export const cjs = {
  ...shared,
  charset: "ascii",
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  // A package passes this value to `createRequire`, which also accepts a path.
  define: { ...shared.define, "import.meta.url": "__filename" },
};

/** The settings for an ES module, for packages that exist only as ES modules. */
export const esm = {
  ...shared,
  format: "esm",
  chunkNames: "[name]-[hash]",
  external,
  banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
};

/**
 * Returns the constants that the bundler replaces in a built file. `expression` is the code that returns the
 * folder of the built file.
 */
export const folderIs = (expression) => ({ ...shared.define, BUILT_FOLDER: expression });

/** The protocol's library without its validator for JSON schemas. */
export const agentServerAlias = { "@modelcontextprotocol/server/_shims": "./mcp/protocol-shims.ts" };

/** The library for mailboxes without its tables for Japanese. */
export const mailboxAlias = { "encoding-japanese": "./server/mail/incoming/no-japanese-charsets.ts" };

/** Packages that are built into separate files, because they are slow to load and most commands do not need them. */
export const loadedLate = {
  "src/client/undici.lazy.ts": "./undici.cjs",
  "src/credentials/conf.lazy.ts": "./conf.cjs",
  "src/cli/feedback/junit/parse.lazy.ts": "./parse-junit.cjs",
  "src/cli/feedback/junit/find-files.lazy.ts": "./find-files.cjs",
};

/** Packages that the command line and the server share, with the file that is built from each. */
export const sharedPackages = {
  yaml: "./yaml.cjs",
  "markdown-it": "./markdown-it.cjs",
  pg: "./pg.cjs",
  nodemailer: "./nodemailer.cjs",
  "@simplewebauthn/server": "./webauthn.cjs",
  imapflow: "./imapflow.cjs",
  "postal-mime": "./postal-mime.cjs",
  "html-to-text": "./html-to-text.cjs",
  "email-reply-parser": "./email-reply-parser.cjs",
};
