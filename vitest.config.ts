import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { compiledModules } from "./test/support/files/compiled-modules.ts";
import { tallyReporter } from "./test/support/tally-reporter.ts";
import { torture } from "./test/support/torture.ts";

/** Folders whose files keep no state in modules: a worker loads the modules once for all of them. */
const sharing = [
  "api",
  "cli",
  "client",
  "console",
  "contract",
  "credentials",
  "domain",
  "e2e/action",
  "server",
  "store",
];

/** Tests that need the true cost of a password's hash. */
const costlyTests = [
  "test/api/access/argon2.test.ts",
  "test/api/access/passwords.test.ts",
  "test/api/access/sign-in/sign-in-uniform.test.ts",
];

/** All other tests of the server hash passwords at a low cost. */
const cheapPasswords = fileURLToPath(new URL("test/support/sign-in/cheap-argon2.ts", import.meta.url));

const sharingTests = [
  ...sharing.map((folder) => `test/${folder}/**/*.test.{ts,tsx}`),
  // They check no password.
  "test/{attack,e2e}/**/*faq*.test.ts",
];

/** A slow machine has time, too: only what hangs exceeds these. */
const settings = {
  // For CI: a test that needs a second try is listed at the end of the run.
  retry: Number(process.env.INNKEEP_TEST_RETRIES ?? 0),
  testTimeout: torture ? 3_600_000 : 300_000,
  // A failed hook is not tried again.
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000, interval: 20 } },
  pool: "forks",
} as const;

export default defineConfig({
  test: {
    reporters: ["default", tallyReporter],
    // For all projects together: each would otherwise start a PostgreSQL of its own.
    globalSetup: ["test/support/global-setup.ts"],
    maxWorkers: 2,
    experimental: { fsModuleCache: true, fsModuleCachePath: compiledModules() },
    projects: [
      {
        resolve: { alias: [{ find: /^@node-rs\/argon2$/, replacement: cheapPasswords }] },
        test: {
          ...settings,
          name: "sharing modules",
          include: sharingTests,
          exclude: costlyTests,
          isolate: false,
        },
      },
      { test: { ...settings, name: "true cost of passwords", include: costlyTests } },
      // At the true cost of passwords, too.
      {
        test: {
          ...settings,
          name: "attacks",
          include: ["test/attack/**/*.test.ts"],
          exclude: sharingTests,
          isolate: false,
        },
      },
      // The library of the protocol sets the messages of zod for the whole process.
      { test: { ...settings, name: "MCP", include: ["test/mcp/**/*.test.ts"], isolate: false } },
      {
        test: {
          ...settings,
          name: "apart",
          include: ["test/**/*.test.{ts,tsx}"],
          exclude: [...sharingTests, "test/attack/**", "test/mcp/**"],
        },
      },
    ],
  },
});
