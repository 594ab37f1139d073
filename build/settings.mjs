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

/** A CommonJS file. Node reads and starts a file of ASCII in a fraction of the time: other characters are escaped. */
export const cjs = {
  ...shared,
  charset: "ascii",
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  // A package gives it to `createRequire`, which also takes a path.
  define: { ...shared.define, "import.meta.url": "__filename" },
};

/** A module for ES, for packages that exist only as such. */
export const esm = {
  ...shared,
  format: "esm",
  chunkNames: "[name]-[hash]",
  external,
  banner: { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' },
};

/** Says in which folder a built file is. */
export const folderIs = (expression) => ({ ...shared.define, BUILT_FOLDER: expression });

/** The protocol's library without its validator for JSON schemas. */
export const agentServerAlias = { "@modelcontextprotocol/server/_shims": "./mcp/protocol-shims.ts" };

/** The library of the mailbox without its tables for Japanese. */
export const mailboxAlias = { "encoding-japanese": "./server/mail/incoming/no-japanese-charsets.ts" };

/** Packages, each in a file of its own: they are slow to load, and most calls need none of them. */
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
