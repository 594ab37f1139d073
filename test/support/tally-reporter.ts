import type { Reporter, TestModule } from "vitest/node";

/** Ends a run with one plain line, `N passed, N failed`, for programs that read it. Tests that needed a second try come before it. */
export const tallyReporter: Reporter = {
  onTestRunEnd(modules, errors) {
    const tallies = modules.map(tallyOf);
    const passed = tallies.reduce((sum, tally) => sum + tally.passed, 0);
    const failed = tallies.reduce((sum, tally) => sum + tally.failed, errors.length);
    const unsteady = modules.flatMap(unsteadyOf);
    if (unsteady.length > 0)
      process.stdout.write(`\nUnsteady, passed at a second try:\n${unsteady.join("\n")}\n`);
    process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
  },
};

const unsteadyOf = (module: TestModule): string[] =>
  [...module.children.allTests()]
    .filter((test) => test.diagnostic()?.flaky)
    .map((test) => `  ${module.relativeModuleId} > ${test.fullName}`);

/** A file that fails outside its tests, in a hook or an import, counts as one that failed. */
function tallyOf(module: TestModule): { passed: number; failed: number } {
  const states = [...module.children.allTests()].map((test) => test.result().state);
  const passed = states.filter((state) => state === "passed").length;
  const failed = states.filter((state) => state === "failed").length;
  return { passed, failed: failed === 0 && !module.ok() ? 1 : failed };
}
