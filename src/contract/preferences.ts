import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";

/** What the console opens after a thread was resolved or archived: the next thread, the same thread, or the list. */
export const afterResolvings = ["next", "stay", "list"] as const;

/** How the console works for one person. */
export const Preferences = z.object({
  /** Whether single keys act on pages of the console. */
  keys: z.boolean(),
  afterResolving: z.enum(afterResolvings),
});

export type Preferences = z.output<typeof Preferences>;

const path = "/api/v1/console/preferences";

export const preferences = {
  read: endpoint({
    method: "GET",
    path,
    summary: "Read how the console works for you",
    auth: "session",
    role: "account",
    success: { status: 200, body: Preferences },
    errors: [],
  }),
  update: endpoint({
    method: "PATCH",
    path,
    summary: "Change how the console works for you",
    auth: "session",
    role: "account",
    body: z.partial(Preferences),
    success: { status: 200, body: Preferences },
    errors: [],
    example: { request: { keys: false }, answer: { keys: false, afterResolving: "next" } },
  }),
} as const;
