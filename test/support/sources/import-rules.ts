import type { Exceptions, Walls } from "./walls.ts";

/** The rows of `test/architecture.test.ts`. A new folder needs one. */
export const walls: Walls = {
  bin: [
    ...["bin", "mcp", "server/main.ts", "server/admin/main.ts", "src/cli", "src/client", "src/credentials"],
    ...["server/dev/throwaway/serve-throwaway.ts", "src/local", "src/programs.ts", "open", "node:*"],
  ],
  src: ["src/client", "src/contract", "src/reporter"],
  "src/contract": ["src/contract", "zod/mini"],
  "src/client": ["src/client", "src/contract", "undici", "zod/mini", "node:*"],
  "src/reporter": ["src/reporter", "src/contract/test-sessions.ts", "src/contract/limits.ts"],
  // Starts servers in processes of their own.
  "src/local": ["src/local", "src/programs.ts", "node:*"],
  "src/credentials": ["src/credentials", "conf", "keytar", "node:*"],
  "src/cli": [
    ...["src/cli", "src/client", "src/contract", "src/credentials", "src/programs.ts"],
    ...["src/local/clock-move.ts", "commander", "diff", "yaml", "zod/mini", "node:*"],
  ],
  // Pure: a file of its own in the build, without the errors of the command line.
  "src/cli/content/notes": ["src/cli/content/notes", "src/contract", "markdown-it"],
  "src/cli/feedback/junit": [...["src/cli", "src/client", "src/contract", "saxes", "tinyglobby", "node:*"]],
  "src/cli/views": ["src/cli", "src/client", "ink", "react"],
  mcp: [
    "mcp",
    "src/client",
    "src/contract",
    "src/programs.ts",
    "@modelcontextprotocol/*",
    "zod/mini",
    "node:*",
  ],
  server: ["server", "src/contract", "src/programs.ts", "koa", "pino", "node:*"],
  "server/domain": ["server/domain", "src/contract", "temporal-polyfill"],
  "server/store": [
    ...["server/store", "server/clock.ts", "server/domain", "src/contract"],
    ...["sqlite3", "pg", "node:*"],
  ],
  "server/files": ["server/files", "server/clock.ts", "src/contract", "node:*"],
  "server/secrets": [
    ...["server/secrets", "server/store", "server/deps.ts", "src/contract"],
    ...["@node-rs/argon2", "uuid", "node:*"],
  ],
  "server/settings": [
    "server/settings",
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
    ...["server/clock.ts", "server/secrets/sealed-address.ts", "node:*"],
  ],
  "server/background/outbox": [
    ...["server/background/outbox", "server/store", "server/domain", "server/deps.ts"],
    ...["server/secrets/sealed-address.ts", "ipaddr.js", "node:*"],
  ],
  // Handlers: load, decide, save, answer. Of `server/http` they know what a handler takes and gives.
  "server/routes": [
    ...[
      "server/routes",
      "server/domain",
      "server/store",
      "server/secrets",
      "server/settings",
      "server/deps.ts",
    ],
    ...["server/http/handler.ts", "server/http/answers.ts", "server/http/lookup-cache.ts", "src/contract"],
    ...["semver", "node:*"],
  ],
  // From the contract to Koa, for every endpoint. Of the store: the engine, what it keeps of requests, credentials.
  "server/http": [
    ...[
      "server/http",
      "server/domain",
      "server/files",
      "server/secrets",
      "server/settings",
      "server/deps.ts",
      "server/version.ts",
    ],
    ...["server/store/engine", "server/store/requests", "server/store/access/credentials.ts", "src/contract"],
    ...["koa", "@koa/router", "@fastify/busboy", "ipaddr.js", "prom-client", "zod/mini", "node:*"],
  ],
  // Pages reach data through the handlers that `ask.ts` is given, and what is theirs alone in `routes`; never in the store.
  "server/console": [
    ...["server/console", "server/http", "server/domain", "server/secrets", "server/settings"],
    ...["server/routes/page-reads.ts", "server/routes/access/audit-names.ts"],
    "server/routes/access/device-approval.ts",
    ...["server/deps.ts", "server/clock.ts", "src/contract"],
    ...["koa", "preact", "preact/*", "preact-render-to-string", "markdown-it", "openid-client"],
    ...["zod/mini", "node:*"],
  ],
  "server/dev/page": [
    ...["server/dev", "server/console/kit", "server/console/assets/assets.ts", "server/console/links.ts"],
    ...["server/console/console-path.ts", "server/console/respond.ts", "server/http", "server/store/testing"],
    ...[
      "server/deps.ts",
      "src/client/calls/redact.ts",
      "src/contract",
      "preact",
      "preact/*",
      "koa",
      "zod/mini",
    ],
  ],
  "server/dev": [
    ...["src/client/calls/redact.ts", "server/console/console-path.ts", "server/console/links.ts"],
    ...["server/dev", "server/demo", "server/http", "server/store", "server/secrets", "server/deps.ts"],
    ...["server/clock.ts", "server/files/files.ts", "src/contract", "temporal-polyfill", "zod/mini"],
    "node:*",
  ],
  "server/dev/throwaway": [
    ...["server/dev/throwaway", "server/main.ts", "server/settings/settings.ts"],
    ...["server/store/deployment/folder-lock.ts", "node:*"],
  ],
  "server/demo": [
    ...[
      "server/demo",
      "server/background/advance-cycle.ts",
      "server/domain",
      "server/routes",
      "server/secrets",
    ],
    ...["server/settings", "server/store", "server/deps.ts", "src/contract", "yaml", "zod/mini", "node:*"],
  ],
  "server/start": [
    ...["server/start", "server/attestation", "server/background", "server/demo", "server/files"],
    ...["server/http/answers.ts", "server/secrets", "server/settings", "server/store"],
    ...["server/clock.ts", "server/deps.ts", "pino", "node:*"],
  ],
  "server/admin": [
    ...[
      "server/admin",
      "server/background/stray-files.ts",
      "server/files",
      "server/secrets",
      "server/settings",
    ],
    ...[
      "server/start",
      "server/store",
      "server/clock.ts",
      "src/contract",
      "src/programs.ts",
      "uuid",
      "zod/mini",
      "node:*",
    ],
  ],
};

const signsIn = "signs in over pages that are no part of the API, by the rules of the handlers";
/** The exceptions to the rows, with the reason. */
export const exceptions: Exceptions = {
  "server/console/sign-in/identity-providers/flows.ts": {
    imports: ["server/routes/access/identities.ts"],
    why: signsIn,
  },
  "server/console/sign-in/identity-providers/connect.ts": {
    imports: ["server/routes/access/identities.ts"],
    why: signsIn,
  },
  "server/console/sign-in/identity-providers/provider.ts": {
    imports: ["server/routes/access/identities.ts"],
    why: signsIn,
  },
  "server/dev/apply-faults.ts": { imports: ["koa"], why: "answers before the routes do" },
  "server/dev/recording/recorder.ts": { imports: ["koa"], why: "sees every request and its answer" },
  "server/dev/dev-server.ts": { imports: ["koa"], why: "adds routes that are no part of the API" },
  "server/routes/access/console-session.ts": {
    imports: ["server/http/authenticate.ts", "server/http/known-browser.ts"],
    why: "a sign-in sets the cookie and marks the browser",
  },
  "server/routes/access/device-approval.ts": {
    imports: ["server/http/known-browser.ts"],
    why: "a new account marks its browser",
  },
  "server/routes/access/sign-in-attempt.ts": {
    imports: ["server/http/connections/client-address.ts"],
    why: "a failed sign-in counts for the network of its address",
  },
  "server/routes/testing/unknown-test-keys.ts": {
    imports: ["server/http/idempotency/idempotent-request.ts", "server/http/request-limits.ts"],
    why: "it forgets the limits and the stored answers of test keys that nobody has",
  },
};

/** Circles that still exist. The list may only become shorter. */
export const knownCircles: readonly string[] = [];
