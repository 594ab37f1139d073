import { defineConfig } from "vitest/config";
import { tallyReporter } from "./test/support/tally-reporter.ts";
import { torture } from "./test/support/torture.ts";

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    reporters: ["default", tallyReporter],
    globalSetup: ["test/support/global-setup.ts"],
    testTimeout: torture ? 3_600_000 : 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
  },
});
