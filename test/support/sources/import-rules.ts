import type { ImportRules } from "./folder-rules.ts";

const areas = [
  ...["server/access", "server/content", "server/feedback", "server/mail", "server/testing"],
  ...["server/notices", "server/webhooks"],
];
/** The files that every part of the server may import. */
const common = ["server/clock.ts", "server/deps.ts", "src/contract", "src/words", "node:*"];

/** The files that a subject may import. `roles.ts` defines which of these each role may import. */
const ofSubjects = [
  ...areas,
  ...common,
  ...["server/console", "server/database", "server/http", "server/files", "server/secrets"],
  ...["server/settings", "server/jobs", "src/programs.ts", "preact", "preact/*"],
];

/** The rows of `test/architecture.test.ts`. A new folder needs one. */
export const importRules: ImportRules = {
  bin: [
    ...["bin", "mcp", "server/main.ts", "server/admin/main.ts", "src/cli", "src/client", "src/credentials"],
    ...["src/words", "server/dev/throwaway.ts", "src/local", "src/programs.ts", "open", "node:*"],
  ],
  src: ["src/client", "src/contract", "src/reporter.ts"],
  "src/contract": ["src/contract", "zod/mini"],
  "src/openapi": ["src/openapi", "src/contract", "zod/mini"],
  // Functions for texts that several programs need.
  "src/words": ["src/words", "src/contract", "chardet", "node:*"],
  "src/client": ["src/client", "src/contract", "undici", "zod/mini", "node:*"],
  // Starts servers in separate processes.
  "src/local": ["src/local", "src/programs.ts", "src/words/phrases.ts", "src/contract/json.ts", "node:*"],
  "src/credentials": ["src/credentials", "conf", "keytar", "node:*"],
  "src/cli": [
    ...["src/cli", "src/client", "src/contract", "src/credentials", "src/programs.ts"],
    ...["src/words", "src/local", "commander", "diff", "yaml", "zod/mini", "node:*"],
    // Only in modules that are loaded when they are needed.
    ...["ink", "react"],
  ],
  // Without side effects: a separate file in the build, without the errors of the command line.
  "src/cli/changelog/notes": ["src/cli/changelog/notes", "src/contract", "markdown-it"],
  "src/cli/feedback/junit": [
    ...["src/cli", "src/client", "src/contract", "src/words", "saxes", "tinyglobby", "node:*"],
  ],
  mcp: [
    ...["mcp", "src/client", "src/contract", "src/words", "src/programs.ts", "src/credentials"],
    ...["@modelcontextprotocol/*", "zod/mini", "node:*"],
  ],
  server: ["server", "src/contract", "src/programs.ts", "src/words", "koa", "pino", "node:*"],

  "server/access": [
    ...[...ofSubjects, "server/erasure", "koa", "jose", "openid-client", "temporal-polyfill", "zod/mini"],
  ],
  "server/content": [
    ...ofSubjects,
    "diff",
    "markdown-it",
    "semver",
    "semver/*",
    "temporal-polyfill",
    "zod/mini",
    "lru-cache",
  ],
  "server/feedback": [...ofSubjects, "diff"],
  "server/mail": [
    // A thread loads postal-mime.
    ...[...ofSubjects, "src/words/text-pdf.ts", "imapflow", "koa", "nodemailer", "zod/mini"],
  ],
  "server/testing": [...ofSubjects, "temporal-polyfill"],
  "server/notices": [...ofSubjects, "jose", "koa", "temporal-polyfill", "zod/mini"],
  "server/webhooks": [...ofSubjects],

  // From the contract to Koa, for every endpoint.
  "server/http": [
    ...["server/http", "server/database", "server/files", "server/secrets", "server/settings", ...common],
    ...["server/event-loop.ts", "server/version.ts", "server/access/credentials.ts"],
    ...["server/access/members/visibility.ts", "server/backup/rules.ts", "src/openapi"],
    ...["koa", "@koa/router", "@fastify/busboy", "ipaddr.js", "lru-cache", "prom-client", "zod/mini"],
  ],
  "server/database": [
    "server/database",
    "server/clock.ts",
    "src/contract",
    "src/credentials/folders.ts",
    "src/words/phrases.ts",
    "sqlite3",
    "pg",
    "zod/mini",
    "node:*",
  ],
  "server/console": [
    ...["server/console", "server/http", "server/database", "server/settings", "server/event-loop.ts"],
    // Only in the tests: the build replaces it by the texts.
    "build/browser.mjs",
    // It lists the pages and the data that they read.
    ...[...areas, "server/erasure", "server/transfer", ...common],
    ...["koa", "preact", "preact/*", "preact-render-to-string", "qr", "zod/mini"],
  ],
  // Between HTTP and the tools. It loads the tools only when they are needed.
  "server/mcp": [
    ...[
      "server/mcp",
      "server/http",
      "server/files",
      "server/settings",
      "server/secrets",
      "server/version.ts",
    ],
    ...["server/access", "src/programs.ts", "mcp/http.ts", "koa", ...common],
  ],
  "server/jobs": [
    ...["server/jobs", "server/console/drafts/store.ts", "server/database", "server/files", "server/http"],
    ...[...areas, "server/transfer", ...common],
  ],
  // It works on all tables.
  "server/erasure": [
    ...[
      "server/erasure",
      "server/console",
      "server/database",
      "server/http",
      "server/jobs",
      "server/secrets",
    ],
    ...[...areas, "preact", ...common],
  ],
  "server/transfer": [
    ...[
      "server/transfer",
      "server/backup",
      "server/console",
      "server/database",
      "server/files",
      "server/http",
    ],
    ...[...areas, "server/version.ts", "zod/mini", ...common],
  ],
  "server/files": [
    ...["server/files", "server/database", "server/access", "server/settings", "src/client/undici.lazy.ts"],
    ...[...common, "aws4fetch"],
  ],
  "server/secrets": [
    ...[
      "server/secrets",
      "server/database",
      "@node-rs/argon2",
      "@simplewebauthn/server",
      "hash-wasm",
      "uuid",
    ],
    ...common,
  ],
  "server/settings": [
    ...["server/settings", "server/mail/address.ts", "src/programs.ts", "ipaddr.js", "zod/mini", ...common],
  ],
  "server/start": [
    ...["server/start", "server/database", "server/demo", "server/files", "server/http", "server/secrets"],
    ...[...areas, "server/settings", "src/credentials/folders.ts", "pino", ...common],
  ],
  "server/admin": [
    ...[
      "server/admin",
      "server/backup",
      "server/database",
      "server/erasure",
      "server/files",
      "server/secrets",
    ],
    ...[...areas, "server/settings", "server/start", "server/transfer"],
    ...["src/programs.ts", "uuid", "zod/mini", ...common],
  ],
  "server/backup": [
    ...[
      "server/backup",
      "server/jobs/runner.ts",
      "server/admin",
      "server/database",
      "server/erasure",
      "server/files",
      "server/secrets",
    ],
    ...[
      ...areas,
      "server/settings",
      "server/start",
      "src/credentials/folders.ts",
      "pino",
      "zod/mini",
      ...common,
    ],
  ],
  "server/demo": [
    ...["server/demo", "server/database", "server/files", "server/secrets", "server/settings"],
    ...[...areas, "yaml", "zod/mini", ...common],
  ],
  "server/dev": [
    ...["server/dev", "server/demo", "server/backup", "server/console", "server/database", "server/files"],
    ...["server/http", "server/main.ts", "server/secrets", "server/settings", "src/client"],
    ...[...areas, "koa", "preact", "preact/*", "temporal-polyfill", "zod/mini", ...common],
  ],
};
