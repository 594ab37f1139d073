import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { instant, uuid } from "./fields.ts";

/** A browser or program in which a person is signed in to the console. */
export const ConsoleSession = z.object({
  id: uuid,
  /** The browser and its operating system, as the browser named them at the sign-in. Null if it did not. */
  browser: z.nullable(z.string()),
  createdAt: instant,
  /** Accurate to the hour. */
  lastUsedAt: z.nullable(instant),
  expiresAt: instant,
  /** Whether it is the session of this request. */
  current: z.boolean(),
});
export type ConsoleSession = z.output<typeof ConsoleSession>;

export const consoleSessions = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/sessions",
    summary: "List the console sessions of your account, newest first",
    auth: "session",
    role: "account",
    success: { status: 200, body: z.object({ items: z.array(ConsoleSession) }) },
    errors: [],
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/sessions/:sessionId",
    summary: "End a console session of your account",
    auth: "session",
    role: "account",
    params: z.object({ sessionId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
  removeOthers: endpoint({
    method: "DELETE",
    path: "/api/v1/console/sessions",
    summary: "End all console sessions of your account except this one",
    auth: "session",
    role: "account",
    success: { status: 204 },
    errors: [],
  }),
} as const;
