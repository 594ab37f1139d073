import * as z from "zod/mini";
import { appParams } from "./apps.ts";
import { endpoint } from "./endpoint.ts";
import { instant, optionalText, uuid } from "./fields.ts";
import { limits } from "./limits.ts";

/**
 * `full` gives access to everything that an app key can do. `intake` cannot write the FAQ and may be embedded in an
 * app.
 */
export const KeyKind = z.enum(["full", "intake"]);

export const AppKey = z.object({
  id: uuid,
  label: z.string(),
  kind: KeyKind,
  prefix: z.string(),
  createdAt: instant,
  lastUsedAt: z.nullable(instant),
});
export type AppKey = z.output<typeof AppKey>;

/** A new key with its secret, which is shown only once. */
export const NewAppKey = z.extend(AppKey, { key: z.string() });

const keyParams = z.extend(appParams, { keyId: uuid });

export const keys = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/apps/:appId/keys",
    summary: "List the keys of an app",
    auth: "console",
    role: "owner",
    scope: "apps:read",
    params: appParams,
    success: { status: 200, body: z.object({ items: z.array(AppKey) }) },
    errors: ["not_found"],
  }),
  create: endpoint({
    method: "POST",
    path: "/api/v1/console/apps/:appId/keys",
    summary: "Create a key for an app; its secret is shown only once",
    auth: "session",
    role: "owner",
    params: appParams,
    body: z.object({ label: optionalText(limits.label), kind: z.optional(KeyKind) }),
    success: { status: 201, body: NewAppKey },
    errors: ["not_found"],
    answersSecret: true,
    example: { request: { label: "CI", kind: "intake" } },
  }),
  regenerate: endpoint({
    method: "POST",
    path: "/api/v1/console/apps/:appId/keys/:keyId/regenerate",
    summary: "Replace a key with a new one; the old key stops working at once",
    auth: "session",
    role: "owner",
    params: keyParams,
    success: { status: 201, body: NewAppKey },
    errors: ["not_found"],
    answersSecret: true,
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/apps/:appId/keys/:keyId",
    summary: "Revoke a key",
    auth: "console",
    role: "owner",
    scope: "apps:write",
    params: keyParams,
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
