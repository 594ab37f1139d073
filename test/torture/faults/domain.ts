import type { Fault } from "./fault.ts";

/** Mistakes in the rules. */
export const domainFaults: readonly Fault[] = [
  {
    name: "a tester loses the slot one missed day too late",
    file: "server/testing/slots/rules.ts",
    right: "missedDays >= maxMissedDays",
    wrong: "missedDays > maxMissedDays",
    tests: ["test/domain/testing"],
  },
  {
    name: "a rate limit allows one use too many",
    file: "server/http/rate-limits/use-log.ts",
    right: "if (log.total < limit)",
    wrong: "if (log.total <= limit)",
    tests: ["test/domain/limits"],
  },
  {
    name: "a plan for which a person asks for changes reads approved",
    file: "server/feedback/proposals/rules.ts",
    right: 'decision === "approve" ? "approved" : "rejected"',
    wrong: 'decision === "reject" ? "rejected" : "approved"',
    tests: ["test/domain/feedback"],
  },
  {
    name: "the text of a proposal alerts people in the chat",
    file: "src/words/visible.ts",
    right: String.raw`.replace(/@(?=\S)/g,`,
    wrong: ".replace(/@(?=never)/g,",
    tests: ["test/domain/feedback"],
  },
  {
    name: "a sign-in code goes to an address that only begins like the redirect address",
    file: "server/access/sign-in/rules.ts",
    right: "return given === redirectUrl || isAppTarget(given);",
    wrong: 'return given.startsWith(redirectUrl ?? "\\n") || isAppTarget(given);',
    tests: ["test/domain/access"],
  },
  {
    name: "a subject with a line break adds a header to a mail",
    file: "src/words/visible.ts",
    right: String.raw`.replace(/\s+/g, " ").trim()`,
    wrong: String.raw`.replace(/[\t ]+/g, " ").trim()`,
    tests: ["test/domain/mail"],
  },
  {
    name: "an answer of a program counts as one of a person, so that two programs answer each other",
    file: "server/mail/incoming/rules.ts",
    right: 'valuesOf(headers, "auto-submitted").some((value) => !noProgram.test(value))',
    wrong: 'valuesOf(headers, "auto-submitted").some((value) => value === "auto-generated")',
    tests: ["test/domain/mail"],
  },
  {
    name: "the last owner leaves an app, which nobody can manage then",
    file: "server/access/members/rules.ts",
    right: "owners <= 1",
    wrong: "owners < 1",
    tests: ["test/domain/access"],
  },
];
