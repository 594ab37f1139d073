import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { FeedbackType } from "./feedback.ts";
import { boundary, pageLimit, text, uuid } from "./fields.ts";
import { threadStatuses } from "./find-work.ts";
import { SearchFacts } from "./found.ts";
import { limits } from "./limits.ts";
import { ThreadSummary } from "./threads.ts";

/** A thread that a search found. */
export const SearchedThread = z.extend(ThreadSummary, { appName: z.string() });

export type SearchedThread = z.output<typeof SearchedThread>;

export const search = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/search",
    summary: "Search the feedback of all your apps",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    query: z.object({
      q: text(1, 200),
      appId: z.optional(uuid),
      status: z.optional(z.enum(threadStatuses)),
      type: z.optional(FeedbackType),
      from: z.optional(boundary),
      to: z.optional(boundary),
      cursor: z.optional(text(1, 500)),
      limit: pageLimit(limits.listPage),
    }),
    success: {
      status: 200,
      body: z.object({
        items: z.array(SearchedThread),
        nextCursor: z.nullable(z.string()),
        /** Only on the first page. */
        search: z.optional(SearchFacts),
      }),
    },
    errors: [],
  }),
} as const;
