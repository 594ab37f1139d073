import type { Fault } from "./fault.ts";

/** Mistakes in the tools for agents. */
export const mcpFaults: readonly Fault[] = [
  {
    name: "get_decision waits for as long as the model asks",
    file: "mcp/tools/get-decision.ts",
    right: "const waitSeconds = Math.min(input.wait_seconds, deps.maxWaitSeconds);",
    wrong: "const waitSeconds = input.wait_seconds;",
    tests: ["test/mcp/tools/get-decision"],
  },
  {
    name: "an agent may proceed with a plan that another worker carries out",
    file: "mcp/tools/get-decision.ts",
    right: 'const isFree = status === "approved" && otherStep === undefined;',
    wrong: 'const isFree = status === "approved";',
    tests: ["test/mcp/tools"],
  },
  {
    name: "an agent may proceed with its own old text, which is perhaps not what was approved",
    file: "mcp/tools/get-decision.ts",
    right: "if (record?.verified) return",
    wrong: "if (record) return",
    tests: ["test/mcp/proposals"],
  },
  {
    name: "a plan that does not match its hash is carried out",
    file: "mcp/tools/get-decision.ts",
    right: "planSha256 !== null && planSha256 !== hashOf(plan)",
    wrong: "planSha256 === null && planSha256 !== hashOf(plan)",
    tests: ["test/mcp/proposals"],
  },
  {
    name: "work that is reported as done is started again",
    file: "mcp/tools/start-work.ts",
    right: "const plan = isApproved && !isReported ?",
    wrong: "const plan = isApproved ?",
    tests: ["test/mcp/tools"],
  },
  {
    name: "a message of an unknown author counts as the team's word",
    file: "mcp/tools/read-feedback.ts",
    right: 'const isTeams = ({ author }: Authored): boolean => author === "team";',
    wrong: 'const isTeams = ({ author }: Authored): boolean => author !== "sender" && author !== "agent";',
    tests: ["test/mcp/tools", "test/mcp/text"],
  },
  {
    name: "a stranger's text ends its fence with a nonce inside the nonce",
    file: "src/words/fence.ts",
    right: "return withoutNonce(rest);",
    wrong: "return rest;",
    tests: ["test/mcp/text"],
  },
  {
    name: "an address in a report makes the program load a file of any server",
    file: "mcp/tools/read-feedback.ts",
    right: 'if (url.origin !== base.origin || !url.pathname.startsWith(folder) || url.username !== "")',
    wrong: 'if (!base.origin || !url.pathname.startsWith(folder) || url.username !== "")',
    tests: ["test/mcp/tools/read-feedback"],
  },
  {
    name: "a proposal of another agent is replaced without a word",
    file: "mcp/tools/propose-plan.ts",
    right: "if (expected === undefined && awaiting !== undefined)",
    wrong: "if (expected !== newest && expected !== undefined && awaiting !== undefined)",
    tests: ["test/mcp/tools"],
  },
];
