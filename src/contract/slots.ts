import * as z from "zod/mini";
import { OwnedSlot } from "./cycles.ts";
import { endpoint } from "./endpoint.ts";
import type { ErrorCode } from "./errors.ts";
import { text } from "./fields.ts";
import { limits } from "./limits.ts";
import { slotParams } from "./tester.ts";

const change = <const Verb extends string, const Errors extends readonly ErrorCode[]>(
  verb: Verb,
  summary: string,
  errors: Errors,
) =>
  endpoint({
    method: "POST",
    path: `/api/v1/console/slots/:slotId/${verb}`,
    summary,
    auth: "console",
    role: "maintainer",
    scope: "testing:manage",
    params: slotParams,
    body: z.object({}),
    success: { status: 200, body: OwnedSlot },
    errors: ["not_found", ...errors],
    catchesUp: { of: "slot", by: "params.slotId" },
  });

export const slots = {
  accept: change("accept", "Give a slot to the tester who asked for it", ["wrong_state"]),
  decline: change("decline", "Decline the request for a slot; the slot is open again", ["wrong_state"]),
  remove: change("remove", "Remove a tester from a slot; another slot opens in its place", ["wrong_state"]),
  rotateKey: change("rotate-key", "Replace the test key of a slot; its tester reads the new one", [
    "wrong_state",
  ]),
  confirmJoin: change("confirm-join", "Confirm that the tester has joined the store's test", ["wrong_state"]),
  assign: endpoint({
    method: "POST",
    path: "/api/v1/console/slots/:slotId/assign",
    summary: "Give an open slot to a known account",
    auth: "console",
    role: "maintainer",
    scope: "testing:manage",
    params: slotParams,
    body: z.object({ email: text(1, limits.email) }),
    success: { status: 200, body: OwnedSlot },
    errors: [
      "not_found",
      "email_unverified",
      "own_listing",
      "already_in_cycle",
      "slot_taken",
      "cycle_not_open",
    ],
    keptRefusals: ["own_listing"],
    catchesUp: { of: "slot", by: "params.slotId" },
  }),
} as const;
