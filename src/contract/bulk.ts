import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { givenInstant, openEnum, text, uuid } from "./fields.ts";
import { limits } from "./limits.ts";
import { threadChanges } from "./threads.ts";
import { ViewQuery } from "./views.ts";

/** The changes that a bulk request makes in each thread. */
export const BulkChange = z.extend(
  z.pick(threadChanges, {
    status: true,
    addTags: true,
    removeTags: true,
    assignee: true,
    snoozedUntil: true,
  }),
  {
    /** Marks the threads as read or unread, for your account only. */
    read: z.optional(z.boolean()),
  },
);

export type BulkChange = z.output<typeof BulkChange>;

const Skipped = z.object({
  id: uuid,
  /** Why the thread was not changed. */
  code: openEnum(["not_found", "wrong_state", "too_many_tags", "assignee", "changed"]),
});

export type Skipped = z.output<typeof Skipped>;

const skipped = {
  /** Some of the threads that were not changed. */
  skipped: z.array(Skipped),
  /** How many threads were not changed. */
  skippedCount: z.int(),
};

const path = "/api/v1/console/apps/:appId/feedback/bulk";

export const bulk = {
  change: endpoint({
    method: "POST",
    path,
    summary: "Change up to 200 named threads, or up to 5,000 threads that match filters",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({
      ids: z.optional(z.array(uuid).check(z.minLength(1), z.maxLength(limits.bulkIds))),
      /** The filters with which the caller has read the list of threads. */
      filter: z.optional(ViewQuery),
      /** The `total` of the list that the caller read at `asOf`. Threads that arrived later are not changed. */
      expected: z.optional(z.object({ total: z.int(), asOf: givenInstant })),
      change: BulkChange,
    }),
    success: {
      status: 200,
      body: z.object({
        changed: z.int(),
        ...skipped,
        /** The value that the caller sends to undo the change, within ten minutes. */
        undo: z.string(),
      }),
    },
    errors: ["not_found", "list_changed", "wrong_state"],
    example: {
      request: { ids: ["01a1fda4-237d-759b-ad89-7cf5663516dc"], change: { status: "resolved" } },
    },
  }),
  undo: endpoint({
    method: "POST",
    path: `${path}/undo`,
    summary:
      "Undo your bulk change once, within ten minutes; leaves out threads that somebody has changed since then",
    auth: "console",
    role: "maintainer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({ undo: text(1, 100) }),
    success: { status: 200, body: z.object({ changed: z.int(), ...skipped }) },
    errors: ["not_found", "wrong_state"],
    example: { request: { undo: "01a1fda4-237d-759b-ad89-7cf5663516dc" } },
  }),
} as const;
