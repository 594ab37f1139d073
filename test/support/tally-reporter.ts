import type { Reporter } from "vitest/node";

/** Ends a run with one plain line, `N passed, N failed`, for those who read it by program. */
export const tallyReporter: Reporter = {
  onTestRunEnd(modules) {
    const states = modules.flatMap((module) =>
      [...module.children.allTests()].map((test) => test.result().state),
    );
    const count = (state: string) => states.filter((one) => one === state).length;
    process.stdout.write(`\n${count("passed")} passed, ${count("failed")} failed\n`);
  },
};
