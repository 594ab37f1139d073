import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { appId, at, threadId } from "./example-values.ts";
import { instant, uuid } from "./fields.ts";

/** The first steps with an app: a key, the first report, the first answer. */
export const FirstSteps = z.object({
  appId: uuid,
  hasKey: z.boolean(),
  /** The first report of the app; null if no report has arrived. */
  report: z.nullable(z.object({ id: uuid, subject: z.string(), message: z.string(), createdAt: instant })),
  /** Whether somebody has replied to one of the first reports. */
  answered: z.boolean(),
  /** Whether an owner has hidden the steps. */
  putAway: z.boolean(),
});
export type FirstSteps = z.output<typeof FirstSteps>;

const path = "/api/v1/console/apps/:appId/start";

/** The endpoints for the first steps with a new app. (rule O36) */
export const start = {
  read: endpoint({
    method: "GET",
    path,
    summary: "List the first steps of a new app, and which of them are done",
    auth: "console",
    role: "owner",
    scope: "apps:read",
    params: appParams,
    success: { status: 200, body: FirstSteps },
    errors: ["not_found"],
    example: {
      answer: {
        ...{ appId, hasKey: true, answered: false, putAway: false },
        report: {
          ...{ id: threadId, subject: "The list is empty" },
          ...{ message: "The list is empty after syncing.", createdAt: at },
        },
      },
    },
  }),
  sendTestReport: endpoint({
    method: "POST",
    path: `${path}/test-report`,
    summary: "Send a report to an app as a test, with yourself as its sender",
    auth: "session",
    role: "owner",
    params: appParams,
    success: { status: 201, body: z.object({ id: uuid }) },
    errors: ["not_found", "feedback_disabled"],
    rateLimit: "testReports",
  }),
  putAway: endpoint({
    method: "POST",
    path: `${path}/put-away`,
    summary: "Hide the first steps with an app on the home page",
    auth: "session",
    role: "owner",
    params: appParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
