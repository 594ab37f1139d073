import type { Fault } from "./fault.ts";

/** Mistakes in the command line and in the client that it uses. */
export const cliFaults: readonly Fault[] = [
  {
    name: "a command that is not allowed ends with the exit code for a missing credential",
    file: "src/cli/core/failures.ts",
    right: '403: "forbidden",',
    wrong: '403: "authentication",',
    tests: ["test/cli/core/exit-codes", "test/cli/feedback/feedback"],
  },
  {
    name: "a script takes a plan for approved while nobody has decided",
    file: "src/cli/agent.ts",
    right: 'awaiting_approval: "pending",',
    wrong: 'awaiting_approval: "ok",',
    tests: ["test/cli/feedback/agent"],
  },
  {
    name: "a program that reads the output of a command gets a failure as a result",
    file: "src/cli/core/failures.ts",
    right: "if (flags.json) stderr.write(",
    wrong: "if (flags.json) context.io.stdout.write(",
    tests: ["test/cli/core"],
  },
  {
    name: "a remark about an empty list stands in the output",
    file: "src/cli/core/output.ts",
    right: "{ stdout, stderr } = context.io;\n  if (rows.length === 0) {\n    stderr.write(",
    wrong: "{ stdout } = context.io;\n  if (rows.length === 0) {\n    stdout.write(",
    tests: ["test/cli/content"],
  },
  {
    name: "a text with a tab shifts the columns of the output",
    file: "src/cli/core/output.ts",
    right: String.raw`printable(text.replace(/[\\\t\n\r\u0085`,
    wrong: String.raw`printable(text.replace(/[\\\n\r\u0085`,
    tests: ["test/cli/core"],
  },
  {
    name: "a change without an Idempotency-Key is sent again, and may act twice",
    file: "src/client/send.ts",
    right: "const repeats = !changes(route) || key !== undefined;",
    wrong: 'const repeats = route.method !== "DELETE" || key !== undefined;',
    tests: ["test/client"],
  },
  {
    name: "a request is not repeated after a failure, because an await is missing",
    file: "src/client/wait.ts",
    right: "return await attempt();",
    wrong: "return attempt();",
    tests: ["test/client"],
  },
  {
    name: "a command reuses a key that the server has forgotten, and acts twice",
    file: "src/cli/core/idempotency-keys.ts",
    right: "const usableMs = 23 * 3_600_000;",
    wrong: "const usableMs = 25 * 3_600_000;",
    tests: ["test/cli/core"],
  },
  {
    name: "other people of the computer see which files wait to be sent",
    file: "src/cli/delivery/spool.ts",
    right: "makeFolder(unfinished, 0o700);",
    wrong: "makeFolder(unfinished);",
    tests: ["test/cli/feedback/feedback"],
  },
  {
    name: "a run with many passed tests is refused, because a request names one too many",
    file: "src/cli/feedback/resolve.ts",
    right: "if (part.length === limits.passedFailures ||",
    wrong: "if (part.length > limits.passedFailures ||",
    tests: ["test/cli/feedback"],
  },
  {
    name: "all requests of a run have one key, so that the second one gets the answer of the first",
    file: "src/cli/feedback/resolve.ts",
    right: "idempotencyKey === undefined || count === 1 ?",
    wrong: "idempotencyKey === undefined || count >= 1 ?",
    tests: ["test/cli/feedback"],
  },
];
