import * as z from "zod/mini";
import { endpoint } from "../endpoint.ts";
import { instant, text, uuid, webUrl } from "../fields.ts";
import { limits } from "../limits.ts";

export const App = z.object({
  id: uuid,
  name: z.string(),
  feedbackEnabled: z.boolean(),
  changelogEnabled: z.boolean(),
  chatWebhookUrl: z.nullable(z.string()),
  githubRepository: z.nullable(z.string()),
  createdAt: instant,
});
export type App = z.output<typeof App>;

const repository = text(1, 200).check(z.regex(/^[\w.-]+\/[\w.-]+$/, "must be of the form owner/name"));

export const NewApp = z.object({
  name: text(1, limits.appName),
  feedbackEnabled: z.optional(z.boolean()),
  changelogEnabled: z.optional(z.boolean()),
  chatWebhookUrl: z.optional(z.nullable(webUrl(limits.url))),
  githubRepository: z.optional(z.nullable(repository)),
});
export type NewApp = z.output<typeof NewApp>;
export const AppChange = z.partial(NewApp);
export type AppChange = z.output<typeof AppChange>;

export const appParams = z.object({ appId: uuid });

const path = "/api/v1/console/apps/:appId";

export const apps = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/apps",
    summary: "List your apps",
    auth: "console",
    scope: "apps:read",
    success: { status: 200, body: z.object({ items: z.array(App) }) },
    errors: [],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/apps",
    summary: "Create an app",
    auth: "session",
    body: NewApp,
    success: { status: 201, body: App },
    errors: [],
  }),
  read: endpoint({
    method: "GET",
    path,
    summary: "Read an app",
    auth: "console",
    scope: "apps:read",
    params: appParams,
    success: { status: 200, body: App },
    errors: ["not_found"],
  }),
  update: endpoint({
    method: "PATCH",
    path,
    summary: "Change an app",
    auth: "console",
    scope: "apps:write",
    params: appParams,
    body: AppChange,
    success: { status: 200, body: App },
    errors: ["not_found"],
  }),
  remove: endpoint({
    method: "DELETE",
    path,
    summary: "Delete an app and everything in it permanently",
    auth: "session",
    params: appParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
