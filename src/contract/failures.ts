import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { optionalInstant, optionalText, text, uuid, webUrl } from "./fields.ts";
import { limits } from "./limits.ts";

/** The `dedupeKey` of a failure whose test passed, or the common beginning of the keys of several such failures. */
const Passed = z.union([text(1, limits.dedupeKey), z.object({ prefix: text(1, limits.dedupeKey) })]);
export type Passed = z.output<typeof Passed>;

/** A test run, with the failures whose tests passed in it. */
const GreenRun = z.object({
  scope: optionalText(limits.dedupeScope),
  run: text(1, limits.dedupeRun),
  runUrl: z.optional(webUrl(limits.url)),
  startedAt: optionalInstant,
  passed: z.array(Passed).check(z.maxLength(limits.passedFailures)),
});
export type GreenRun = z.output<typeof GreenRun>;

const failure = { id: uuid, dedupeKey: z.string(), consoleUrl: z.string() };

/** The endpoint for the threads of failures. Test runs and CI jobs report a failure repeatedly with one `dedupeKey`. */
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
        /** The failures that the request names and that stay open. Lists at most 200 that have passed in no scope. */
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
