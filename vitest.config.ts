import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { compiledModules } from "./test/support/files/compiled-modules.ts";
import { tallyReporter } from "./test/support/tally-reporter.ts";
import { alone, first, onPostgres, second, torture, truePasswords } from "./test/tiers.ts";

/** A slow machine has time, too: only what hangs exceeds these. */
const limits = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000, interval: 20 } },
  pool: "forks",
} as const;

/** Tests hash passwords at a low cost. */
const cheapPasswords = fileURLToPath(new URL("test/support/sign-in/cheap-argon2.ts", import.meta.url));

interface Group {
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly engines?: readonly ("sqlite" | "postgres")[];
  /** Each file gets a process of its own. Otherwise a process loads the modules once for many files. */
  readonly isolate?: boolean;
  readonly passwords?: "cheap" | "true";
  readonly timeout?: number;
}

const project = (name: string, group: Group): TestProjectInlineConfiguration => ({
  resolve:
    group.passwords === "true" ? {} : { alias: [{ find: /^@node-rs\/argon2$/, replacement: cheapPasswords }] },
  test: {
    ...limits,
    ...(group.timeout === undefined ? {} : { testTimeout: group.timeout }),
    name,
    include: [...group.include],
    exclude: [...(group.exclude ?? [])],
    isolate: group.isolate ?? false,
    provide: { engines: [...(group.engines ?? ["sqlite"])] },
  },
});

const both = ["sqlite", "postgres"] as const;
const mcp = "test/mcp/**/*.test.ts";

export default defineConfig({
  test: {
    reporters: ["default", tallyReporter],
    globalSetup: ["test/support/global-setup.ts"],
    maxWorkers: 2,
    experimental: { fsModuleCache: true, fsModuleCachePath: compiledModules() },
    projects: [
      project("first", { include: first, exclude: [mcp, ...alone] }),
      // The library of the protocol sets the messages of zod for the whole process.
      project("first: MCP", { include: [mcp], exclude: alone }),
      project("first: alone", { include: alone.filter((files) => !second.includes(files)), isolate: true }),
      project("second: on PostgreSQL", { include: onPostgres, engines: ["postgres"], exclude: alone }),
      project("second", { include: second, exclude: truePasswords, engines: both, isolate: true }),
      project("second: true cost of passwords", { include: truePasswords, engines: both, isolate: true, passwords: "true" }),
      project("torture", { include: torture, engines: both, isolate: true, passwords: "true", timeout: 3_600_000 }),
    ],
  },
});
