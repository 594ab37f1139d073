import type { Walls } from "./walls.ts";

/** The rows of `test/architecture.test.ts`. A new folder needs one. */
export const walls: Walls = {
  bin: [
    ...["bin", "mcp", "server/main.ts", "server/admin/main.ts", "src/cli", "src/client", "src/credentials"],
    "src/words",
    ...["server/dev/throwaway/serve-throwaway.ts", "src/local", "src/programs.ts", "open", "node:*"],
  ],
  src: ["src/client", "src/contract", "src/reporter", "src/backup-commands.ts"],
  "src/contract": ["src/contract", "zod/mini"],
  // The words of people on their way in and out: the same for every door.
  "src/words": ["src/words", "src/contract", "chardet", "node:*"],
  "src/client": ["src/client", "src/contract", "undici", "zod/mini", "node:*"],
  "src/reporter": ["src/reporter", "src/contract/test-sessions.ts", "src/contract/limits.ts"],
  // Starts servers in processes of their own.
  "src/local": ["src/local", "src/programs.ts", "src/words/system-reason.ts", "node:*"],
  "src/credentials": ["src/credentials", "conf", "keytar", "node:*"],
  "src/cli": [
    ...["src/cli", "src/client", "src/contract", "src/credentials", "src/programs.ts"],
    ...[
      "src/backup-commands.ts",
      "src/words",
      "src/local/clock-move.ts",
      "src/local/run-command.ts",
      "commander",
      "diff",
      "yaml",
      "zod/mini",
      "node:*",
    ],
  ],
  // Pure: a file of its own in the build, without the errors of the command line.
  "src/cli/content/notes": ["src/cli/content/notes", "src/contract", "markdown-it"],
  "src/cli/feedback/junit": [
    ...["src/cli", "src/client", "src/contract", "src/words", "saxes", "tinyglobby", "node:*"],
  ],
  "src/cli/views": ["src/cli", "src/client", "ink", "react", "node:*"],
  mcp: [
    ...[
      "mcp",
      "src/client",
      "src/contract",
      "src/words",
      "src/programs.ts",
      "src/credentials/make-folder.ts",
    ],
    ...["@modelcontextprotocol/*", "zod/mini", "node:*"],
  ],
  server: ["server", "src/contract", "src/programs.ts", "src/words", "koa", "pino", "node:*"],
  "server/domain": ["server/domain", "src/contract", "src/words", "temporal-polyfill"],
  "server/store": [
    ...["server/store", "server/clock.ts", "server/domain", "src/contract"],
    ...["sqlite3", "pg", "zod/mini", "node:*"],
  ],
  "server/files": ["server/files", "server/clock.ts", "src/contract", "node:*"],
  // Files in a store that speaks S3.
  "server/files/s3": [
    ...["server/files", "server/settings/settings.ts", "src/client/transport/undici.ts", "src/contract"],
    ...["aws4fetch", "node:*"],
  ],
  "server/secrets": [
    ...["server/secrets", "server/store", "server/deps.ts", "src/contract"],
    ...["@node-rs/argon2", "@simplewebauthn/server", "hash-wasm", "uuid", "node:*"],
  ],
  "server/settings": [
    "server/settings",
    "server/domain/mail",
    "src/contract",
    "src/programs.ts",
    "ipaddr.js",
    "zod/mini",
    "node:*",
  ],
  "server/attestation": [
    ...["server/attestation", "server/domain", "server/settings/settings.ts", "src/contract"],
    ...["jose", "node:*"],
  ],
  "server/background": [
    ...["server/background", "server/store", "server/domain", "server/files", "server/deps.ts"],
    ...["server/clock.ts", "server/secrets/sealed-address.ts", "server/secrets/person-hash.ts"],
    ...["server/secrets/secrets.ts", "server/transfer", "src/words", "node:*"],
  ],
  // An app as a file, and back.
  "server/transfer": [
    ...["server/transfer", "server/domain/transfer", "server/store", "server/files", "server/deps.ts"],
    ...["server/version.ts", "src/contract", "node:*"],
  ],
  "server/background/mail": [
    ...[
      "server/background/mail",
      "server/background/due-work.ts",
      "server/mail",
      "server/store",
      "server/domain",
      "server/files/files.ts",
      "server/deps.ts",
    ],
    "server/settings/settings.ts",
  ],
  // Mails: queued by a change, sent by the worker.
  "server/mail": [
    ...[
      "server/mail",
      "server/domain",
      "server/store",
      "server/secrets",
      "server/settings",
      "server/deps.ts",
    ],
    // A thread loads postal-mime.
    ...["nodemailer", "imapflow", "node:worker_threads", "zod/mini"],
  ],
  "server/background/outbox": [
    ...[
      "server/background/outbox",
      "server/background/due-work.ts",
      "server/store",
      "server/domain",
      "server/deps.ts",
    ],
    ...["server/secrets/sealed-address.ts", "server/outgoing", "src/words", "node:*"],
  ],
  // Handlers: load, decide, save, answer. Of `server/http` they know what a handler takes and gives.
  "server/routes": [
    ...["server/routes", "server/domain", "server/store", "server/secrets", "server/settings"],
    ...["server/deps.ts"],
    ...["server/http/handler.ts", "server/http/answers.ts", "server/http/lookup-cache.ts", "src/contract"],
    ...["server/http/idempotency/together.ts", "src/cli/feedback/text-files/text-pdf.ts"],
    ...["server/mail", "server/transfer", "src/programs.ts", "src/words", "semver", "node:*"],
  ],
  // From the contract to Koa, for every endpoint. Of the store: the engine, what it keeps of requests, credentials.
  "server/http": [
    ...["server/http", "server/domain", "server/files", "server/secrets", "server/settings"],
    ...["server/clock.ts", "server/deps.ts", "server/version.ts"],
    ...["server/event-loop.ts", "server/on-first-use.ts"],
    ...["server/store/engine", "server/store/requests", "server/store/access/credentials.ts", "src/contract"],
    ...[
      "koa",
      "@koa/router",
      "@fastify/busboy",
      "ipaddr.js",
      "lru-cache",
      "prom-client",
      "zod/mini",
      "node:*",
    ],
  ],
  // Pages reach data through the handlers that `ask.ts` is given, and what is theirs alone in `routes`; never in the store.
  "server/console": [
    ...["server/console", "server/http", "server/domain", "server/secrets", "server/settings"],
    "server/routes/mail",
    ...["server/routes/page-looks.ts", "server/routes/page-reads.ts", "server/routes/page-drafts.ts"],
    "server/routes/page-answering.ts",
    "server/routes/access/audit-names.ts",
    ...["server/routes/access/device-approval.ts", "server/routes/access/oauth", "server/oauth/metadata.ts"],
    ...["server/oauth/fault-answers.ts", "server/event-loop.ts", "server/on-first-use.ts"],
    ...["server/deps.ts", "server/clock.ts", "src/contract", "src/words"],
    ...["koa", "preact", "preact/*", "preact-render-to-string", "markdown-it", "openid-client", "diff", "qr"],
    ...["zod/mini", "node:*"],
  ],
  // Requests of the server to addresses that strangers give.
  "server/outgoing": ["server/outgoing", "ipaddr.js", "node:*"],
  // What programs ask of OAuth. The consent page is one of the console's.
  "server/oauth": [
    ...["server/oauth", "server/http", "server/routes/access/oauth", "server/settings", "server/deps.ts"],
    ...["src/contract", "koa"],
  ],
  // Between HTTP and the tools, which it loads late.
  "server/mcp": [
    ...[
      "server/mcp",
      "server/http",
      "server/files",
      "server/settings",
      "server/deps.ts",
      "server/version.ts",
    ],
    ...["server/oauth/metadata.ts", "server/secrets/secrets.ts", "server/store/access/credentials.ts"],
    ...["src/contract", "src/programs.ts", "mcp/http/http-tools.ts", "koa", "node:*"],
  ],
  "server/dev/page": [
    ...["server/dev", "server/console/kit", "server/console/assets/assets.ts", "server/console/links.ts"],
    ...["server/console/console-path.ts", "server/console/respond.ts", "server/http", "server/store/testing"],
    ...[
      "server/deps.ts",
      "src/client/calls/redact.ts",
      "src/contract",
      "src/words",
      "preact",
      "preact/*",
      "koa",
      "zod/mini",
    ],
  ],
  "server/dev": [
    ...["src/client/calls/redact.ts", "server/console/console-path.ts", "server/console/links.ts"],
    "server/mail",
    ...["server/dev", "server/demo", "server/http", "server/store", "server/secrets", "server/deps.ts"],
    ...[
      "server/clock.ts",
      "server/files/files.ts",
      "server/files/temporary-file.ts",
      "src/contract",
      "temporal-polyfill",
      "zod/mini",
    ],
    "node:*",
  ],
  "server/dev/throwaway": [
    ...["server/dev/throwaway", "server/main.ts", "server/settings/settings.ts"],
    ...["server/store/deployment/folder-lock.ts", "src/words", "node:*"],
  ],
  "server/demo": [
    ...[
      "server/demo",
      "server/background/advance-cycle.ts",
      "server/domain",
      "server/routes",
      "server/secrets",
    ],
    ...["server/settings", "server/store", "server/deps.ts", "src/contract", "src/words"],
    ...["yaml", "zod/mini", "node:*"],
  ],
  "server/start": [
    ...["server/start", "server/attestation", "server/background", "server/demo", "server/files"],
    ...["server/admin/archive/keys.ts", "server/outgoing"],
    ...["server/http/answers.ts", "server/http/memory.ts", "server/http/rate-limits.ts"],
    ...["server/secrets", "server/settings", "server/store"],
    ...["server/clock.ts", "server/deps.ts", "src/words", "pino", "zod/mini", "node:*"],
  ],
  "server/admin": [
    ...[
      "server/admin",
      ...["server/background/erase-again.ts", "server/background/erasing.ts"],
      ...["server/background/stray-files.ts"],
      "server/domain/access",
      "server/domain/backups",
      "server/domain/mail",
      "server/domain/people",
      "server/files",
      "server/mail",
      "server/secrets",
      "server/settings",
    ],
    ...[
      "server/start",
      "server/store",
      "server/transfer",
      "server/clock.ts",
      "src/backup-commands.ts",
      "src/contract",
      "src/words",
      "src/programs.ts",
      "pino",
      "uuid",
      "zod/mini",
      "node:*",
    ],
  ],
};
