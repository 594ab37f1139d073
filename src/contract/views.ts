import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { instant, openEnum, text, uuid } from "./fields.ts";
import { type FixedView, fixedViews } from "./fixed-views.ts";
import { limits } from "./limits.ts";
import { Count, threadFilters } from "./threads.ts";

/** The filters of a view: the filters of the list of threads, except `number` and the fields for pages. */
export const ViewQuery = z.omit(threadFilters, { cursor: true, limit: true, number: true });

export type ViewQuery = z.output<typeof ViewQuery>;

/** The filters of a saved view that this server does not know. Without them, `query` finds too many threads. */
const unknownFilters = z.optional(z.array(z.string()));

/** A view: filters of the list of threads that were saved under a name. */
export const View = z.object({
  id: uuid,
  name: z.string(),
  query: ViewQuery,
  unknownFilters,
  /** Whether all members of the app see the view. */
  shared: z.boolean(),
  createdAt: instant,
  updatedAt: instant,
});

export type View = z.output<typeof View>;

const name = text(1, limits.viewName);
const shared = z.boolean();
const viewParams = z.extend(appParams, { viewId: uuid });
const appPath = "/api/v1/console/apps/:appId/views";
const path = `${appPath}/:viewId` as const;

const isFixedView = (given: string): given is FixedView => Object.hasOwn(fixedViews, given);

/** The names of the fixed views, in the order of `fixedViews`. */
export const fixedViewNames: readonly FixedView[] = Object.keys(fixedViews).filter(isFixedView);

export const views = {
  list: endpoint({
    method: "GET",
    path: appPath,
    summary: "List your views of an app and the app's shared views, sorted by name",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(View) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: appPath,
    summary: "Save filters of the list as a view; a maintainer may share it",
    auth: "console",
    role: "viewer",
    scope: "feedback:write",
    params: appParams,
    body: z.object({ name, query: ViewQuery, shared: z.optional(shared) }),
    success: { status: 201, body: View },
    errors: ["not_found", "forbidden", "wrong_state"],
    example: { request: { name: "Crashes on Android", query: { tag: "crash,android" }, shared: true } },
  }),
  update: endpoint({
    method: "PATCH",
    path,
    summary: "Change a view",
    auth: "console",
    role: "viewer",
    scope: "feedback:write",
    params: viewParams,
    body: z.object({
      name: z.optional(name),
      query: z.optional(ViewQuery),
      shared: z.optional(shared),
    }),
    success: { status: 200, body: View },
    errors: ["not_found", "forbidden"],
    example: { request: { name: "Crashes" } },
  }),
  remove: endpoint({
    method: "DELETE",
    path,
    summary: "Delete a view",
    auth: "console",
    role: "viewer",
    scope: "feedback:write",
    params: viewParams,
    success: { status: 204 },
    errors: ["not_found", "forbidden"],
  }),
  counts: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/feedback/counts",
    summary: "Count the threads of each view; each count stops at 500",
    auth: "console",
    role: "viewer",
    scope: "feedback:read",
    params: appParams,
    query: z.extend(ViewQuery, {
      /** If set, the answer has the number of threads in each of your saved views and each shared view. */
      views: z.optional(z.enum(["1"])),
      /** If set, the answer has the number of matching threads: `1` counts up to 500, `exact` up to 5,000. */
      matching: z.optional(z.enum(["1", "exact"])),
    }),
    success: {
      status: 200,
      body: z.object({
        fixed: z.array(z.object({ view: openEnum(fixedViewNames), query: ViewQuery, count: Count })),
        /** The views with their numbers of threads. Only set if the request has `views`. */
        saved: z.optional(
          z.array(
            z.object({ id: uuid, name: z.string(), shared, query: ViewQuery, unknownFilters, count: Count }),
          ),
        ),
        /** The number of matching threads, if requested. A bulk change of these threads must contain `asOf`. */
        matching: z.optional(z.object({ count: Count, asOf: instant })),
      }),
    },
    errors: ["not_found"],
  }),
} as const;
