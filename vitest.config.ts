import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { compiledModules } from "./test/support/files/compiled-modules.ts";
import { tallyReporter } from "./test/support/tally-reporter.ts";
import { torture } from "./test/support/torture.ts";

const features = [
  "access",
  "admin",
  "backup",
  "cli",
  "client",
  "console",
  "content",
  "contract",
  "credentials",
  "database",
  "dev",
  "docs",
  "erasure",
  "feedback",
  "files",
  "http",
  "jobs",
  "mail",
  "notices",
  "outgoing",
  "secrets",
  "server",
  "settings",
  "start",
  "testing",
  "transfer",
  "webhooks",
  "words",
];

/**
 * The tests stand in three tiers, which are lists of folders. `npm test` runs the first one, `npm run test:all` the first
 * and the second one, `npm run torture` all three in their long form. A file that takes over five seconds, or needs a
 * browser, a database server or another program, stands in `test/slow`.
 */
const tiers: Record<string, Group> = {
  first: { folders: features, files: ["test/*.test.ts"] },
  // The library of the protocol sets the messages of zod for the whole process.
  "first-mcp": { folders: ["mcp"] },

  "second-postgres": { files: filesAboutDatabases(), engines: ["postgres"] },
  second: { folders: ["attack", "slow"], apartFrom: "second-alone", engines: ["sqlite", "postgres"] },
  "second-alone": {
    folders: ["e2e", "package", "slow/cli", "slow/credentials", "slow/local", "slow/mcp"],
    files: [
      "test/slow/access/**/{argon2,passwords}.test.ts",
      "test/slow/access/sign-in/sign-in-uniform.test.ts",
      // These measure the memory or the processor time of their process, which no other file may share.
      "test/slow/http/bounded-memory.test.ts",
      "test/attack/files/hostile-repeats.test.tsx",
    ],
    engines: ["sqlite", "postgres"],
    alone: true,
  },

  torture: { folders: ["torture"], engines: ["sqlite", "postgres"], alone: true },
};

interface Group {
  readonly folders?: readonly string[];
  readonly files?: readonly string[];
  /** Another group, whose files this one leaves out. */
  readonly apartFrom?: string;
  /** The databases that tests with `databases` run on. */
  readonly engines?: readonly ("sqlite" | "postgres")[];
  /** Each file has a process of its own, and passwords are hashed at their true cost. */
  readonly alone?: boolean;
}

export default defineConfig({
  test: {
    reporters: ["default", tallyReporter],
    globalSetup: ["test/support/global-setup.ts"],
    maxWorkers: 2,
    experimental: { fsModuleCache: true, fsModuleCachePath: compiledModules() },
    projects: Object.entries(tiers).map(([name, group]) => projectOf(name, group)),
  },
});

function projectOf(name: string, group: Group): TestProjectInlineConfiguration {
  const { engines = ["sqlite"], alone = false, apartFrom } = group;
  return {
    resolve: alone ? {} : { alias: [{ find: /^@node-rs\/argon2$/, replacement: cheapPasswords() }] },
    test: {
      name,
      include: filesOf(group),
      exclude: apartFrom === undefined ? [] : filesOf(tiers[apartFrom] ?? {}),
      pool: "forks",
      isolate: alone,
      provide: { engines: [...engines] },
      // A slow machine has time, too: only what hangs exceeds these.
      testTimeout: torture ? 3_600_000 : 300_000,
      hookTimeout: 300_000,
      expect: { poll: { timeout: 60_000, interval: 20 } },
    },
  };
}

function filesOf({ folders = [], files = [] }: Group): string[] {
  return [...files, ...folders.map((folder) => `test/${folder}/**/*.test.{ts,tsx}`)];
}

/** The files of the first tier whose subject depends on the database: they import `databases` or `sharedDatabases`. */
function filesAboutDatabases(): string[] {
  const names = ["mcp", ...features].flatMap((folder) =>
    readdirSync(`test/${folder}`, { recursive: true, encoding: "utf8" }).map(
      (name) => `test/${folder}/${name}`,
    ),
  );
  return names.filter(
    (name) =>
      name.endsWith(".test.ts") &&
      /\{[^}]*\b(databases|sharedDatabases)\b[^}]*\} from/.test(readFileSync(name, "utf8")),
  );
}

function cheapPasswords(): string {
  return fileURLToPath(new URL("test/support/sign-in/cheap-argon2.ts", import.meta.url));
}
