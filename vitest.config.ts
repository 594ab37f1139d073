import { defineConfig } from "vitest/config";
import { tallyReporter } from "./test/support/tally-reporter.ts";
import { torture } from "./test/support/torture.ts";

/** Folders whose files keep no state in modules: a worker loads the modules once for all of them. */
const sharing = ["api", "cli", "client", "console", "contract", "credentials", "domain", "server", "store"];

const sharingTests = sharing.map((folder) => `test/${folder}/**/*.test.{ts,tsx}`);

const settings = {
  testTimeout: torture ? 3_600_000 : 30_000,
  hookTimeout: 60_000,
  pool: "forks",
} as const;

export default defineConfig({
  test: {
    reporters: ["default", tallyReporter],
    // For all projects together: each would otherwise start a PostgreSQL of its own.
    globalSetup: ["test/support/global-setup.ts"],
    maxWorkers: 2,
    projects: [
      { test: { ...settings, name: "sharing modules", include: sharingTests, isolate: false } },
      // The library of the protocol sets the messages of zod for the whole process.
      { test: { ...settings, name: "MCP", include: ["test/mcp/**/*.test.ts"], isolate: false } },
      {
        test: {
          ...settings,
          name: "apart",
          include: ["test/**/*.test.{ts,tsx}"],
          exclude: [...sharingTests, "test/mcp/**"],
        },
      },
    ],
  },
});
