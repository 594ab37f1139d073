import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { optionalInstant, optionalText, text, uuid, webUrl } from "./fields.ts";
import { limits } from "./limits.ts";

/** Names a failure whose test passed by its `dedupeKey`, or several failures by the beginning of their keys. */
const Passed = z.union([text(1, limits.dedupeKey), z.object({ prefix: text(1, limits.dedupeKey) })]);
export type Passed = z.output<typeof Passed>;

/** A successful test run: which tests it covers, and which of them passed. */
const GreenRun = z.object({
  scope: optionalText(limits.dedupeScope),
  run: text(1, limits.dedupeRun),
  runUrl: z.optional(webUrl(limits.url)),
  startedAt: optionalInstant,
  passed: z.array(Passed).check(z.maxLength(limits.passedFailures)),
});
export type GreenRun = z.output<typeof GreenRun>;

const failure = { id: uuid, dedupeKey: z.string(), consoleUrl: z.string() };

/** The threads of failures that a test run or a CI job reports again and again, by their `dedupeKey`. */
export const failures = {
  resolve: endpoint({
    method: "POST",
    path: "/api/v1/console/apps/:appId/feedback/resolve",
    summary: "Resolve the threads of failures that passed in every scope that reported them",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: appParams,
    body: GreenRun,
    readsClock: true,
    success: {
      status: 200,
      body: z.object({
        resolved: z.array(z.object(failure)),
        /** Why failures that the run names stay open. At most 200 of those that have passed in no scope. */
        stillFailing: z.array(
          z.object({
            ...failure,
            /** The scopes in which the failure was reported and has not passed since then. */
            scopes: z.array(z.string()),
            /**
             * Whether the failure stays open in the scope of this run, because a report came after the run had started.
             */
            reportedLater: z.boolean(),
          }),
        ),
        more: z.boolean(),
      }),
    },
    errors: ["not_found"],
    example: {
      request: {
        scope: "ci test linux main",
        run: "8412",
        runUrl: "https://ci.example.com/runs/8412",
        startedAt: "2026-03-02T09:00:00Z",
        passed: ["login-smoke-test", { prefix: "junit:4f1c:" }],
      },
    },
  }),
} as const;
