import { defineConfig } from "vitest/config";
import { tallyReporter } from "./test/support/tally-reporter.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    reporters: ["default", tallyReporter],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    // Real databases, processes and browsers on two shared cores: what meets the machine's worst second is tried again.
    retry: process.env.CI ? 1 : 0,
  },
});
