import * as z from "zod/mini";
import { endpoint, roles } from "./endpoint.ts";
import { instant, openEnum, queryInteger, text, uuid, webUrl } from "./fields.ts";
import { limits } from "./limits.ts";

/** The message formats of the chat services to which an app can send messages. (rule N9) */
export const chatFormats = ["slack", "mattermost", "discord", "teams", "telegram", "ntfy", "json"] as const;
export type ChatFormat = (typeof chatFormats)[number];

export const App = z.object({
  id: uuid,
  name: z.string(),
  feedbackEnabled: z.boolean(),
  changelogEnabled: z.boolean(),
  /** Whether each report has a page on which its sender sees the state of the report and the replies. */
  senderPages: z.boolean(),
  chatWebhookUrl: z.nullable(z.string()),
  chatFormat: openEnum(chatFormats),
  githubRepository: z.nullable(z.string()),
  /** The hours after which an approval expires if no worker claims the proposal. Null if approvals do not expire. */
  approvalHours: z.nullable(z.int()),
  /**
   * The number of days for which resolved threads are kept after their last activity. Null if they are never deleted.
   */
  retentionDays: z.nullable(z.int()),
  /** The role of the caller in this app. */
  role: z.enum(roles),
  createdAt: instant,
});
export type App = z.output<typeof App>;

const repository = text(1, 200).check(z.regex(/^[\w.-]+\/[\w.-]+$/, "must be of the form owner/name"));

const hours = z
  .int()
  .check(
    z.gte(1, "must be a whole number from 1"),
    z.lte(limits.approvalHours, `must be at most ${limits.approvalHours}`),
  );

const days = z
  .int()
  .check(
    z.gte(1, "must be a whole number from 1"),
    z.lte(limits.retentionDays, `must be at most ${limits.retentionDays}`),
  );

export const NewApp = z.object({
  name: text(1, limits.appName),
  feedbackEnabled: z.optional(z.boolean()),
  changelogEnabled: z.optional(z.boolean()),
  senderPages: z.optional(z.boolean()),
  chatWebhookUrl: z.optional(z.nullable(webUrl(limits.url))),
  chatFormat: z.optional(z.enum(chatFormats)),
  githubRepository: z.optional(z.nullable(repository)),
  approvalHours: z.optional(z.nullable(hours)),
  retentionDays: z.optional(z.nullable(days)),
});
export type NewApp = z.output<typeof NewApp>;
export const AppChange = z.partial(NewApp);
export type AppChange = z.output<typeof AppChange>;

export const OldThreads = z.object({
  threads: z.int(),
  /** True if there are more threads than the number in `threads`. The server counts at most 1,000. */
  more: z.boolean(),
});
export type OldThreads = z.output<typeof OldThreads>;

export const appParams = z.object({ appId: uuid });

const path = "/api/v1/console/apps/:appId";

export const apps = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/apps",
    summary: "List your apps",
    auth: "console",
    role: "viewer",
    scope: "apps:read",
    success: { status: 200, body: z.object({ items: z.array(App) }) },
    errors: [],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/apps",
    summary: "Create an app",
    auth: "session",
    role: "account",
    body: NewApp,
    success: { status: 201, body: App },
    errors: [],
    example: { request: { name: "Larder", githubRepository: "larder/android" } },
  }),
  read: endpoint({
    method: "GET",
    path,
    summary: "Read an app",
    auth: "console",
    role: "viewer",
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
    role: "owner",
    scope: "apps:write",
    params: appParams,
    body: AppChange,
    success: { status: 200, body: App },
    errors: ["not_found"],
    example: { request: { changelogEnabled: true } },
  }),
  retention: endpoint({
    method: "GET",
    path: `${path}/retention`,
    summary:
      "Count the resolved threads without activity in the last `days` days; the default is the retention period of the app",
    auth: "console",
    role: "owner",
    scope: "apps:write",
    params: appParams,
    query: z.object({ days: z.optional(queryInteger(1, limits.retentionDays)) }),
    success: { status: 200, body: OldThreads },
    errors: ["not_found"],
  }),
  remove: endpoint({
    method: "DELETE",
    path,
    summary: "Delete an app and everything in it permanently",
    auth: "session",
    role: "owner",
    params: appParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
