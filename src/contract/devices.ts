import * as z from "zod/mini";
import { endpoint } from "./endpoint.ts";
import { instant, uuid } from "./fields.ts";

/** A device that a person has signed in. */
export const Device = z.object({
  id: uuid,
  name: z.string(),
  prefix: z.string(),
  scopes: z.array(z.string()),
  createdAt: instant,
  expiresAt: instant,
  lastUsedAt: z.nullable(instant),
});
export type Device = z.output<typeof Device>;

export const devices = {
  list: endpoint({
    method: "GET",
    path: "/api/v1/console/devices",
    summary: "List the devices that are signed in to this account",
    auth: "session",
    role: "account",
    success: { status: 200, body: z.object({ items: z.array(Device) }) },
    errors: [],
  }),
  remove: endpoint({
    method: "DELETE",
    path: "/api/v1/console/devices/:deviceId",
    summary: "Sign a device out; its token stops at once",
    auth: "session",
    role: "account",
    params: z.object({ deviceId: uuid }),
    success: { status: 204 },
    errors: ["not_found"],
  }),
} as const;
