import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one plain line, `N passed, N failed`, for programs that read it. */
export const tallyReporter: Reporter = {
  onTestRunEnd(modules, errors) {
    const tallies = modules.map(tallyOf);
    const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
    const failed = tallies.reduce((sum, tally) => sum + tally.failed, errors.length);
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  },
};

/** A file that fails outside its tests, in a hook or an import, counts as one that failed. */
function tallyOf(module: TestModule): { passed: number; failed: number } {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const passed = states.filter((state) => state === "passed").length;
  const failed = states.filter((state) => state === "failed").length;
  return { passed, failed: failed === 0 && !module.ok() ? 1 : failed };
}
