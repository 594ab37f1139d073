import * as z from "zod/mini";
import { endpoint, type Group } from "../../src/contract/endpoint.ts";
import { errorCatalogue } from "../../src/contract/errors.ts";
import { givenInstant, instant } from "../../src/contract/fields.ts";
import { isDuration } from "./clock.ts";

export const Move = z
  .object({
    advance: z.optional(
      z.string().check(z.refine(isDuration, "must be an ISO 8601 duration such as P1D or -PT12H")),
    ),
    set: z.optional(givenInstant),
  })
  .check(
    z.refine(({ advance, set }) => (advance === undefined) !== (set === undefined), {
      path: ["advance"],
      message: "must be given, or `set`, but not both",
    }),
  );

const code = z.enum(Object.keys(errorCatalogue));
const whole = (least: number, most: number) =>
  z
    .int("must be a whole number")
    .check(z.gte(least, `must be at least ${least}`), z.lte(most, `must be at most ${most}`));

export const NewFault = z
  .object({
    path: z.string().check(
      z.refine((path) => path.startsWith("/") && !/[?#]/.test(path), "must be a path that begins with /"),
      z.refine((path) => !/^\/dev(\/|$)/.test(path), "must not be of the development server itself"),
    ),
    status: z.optional(whole(400, 599)),
    code: z.optional(code),
    times: z._default(whole(1, 1_000_000), 1),
    delayMs: z._default(whole(0, 600_000), 0),
  })
  .check(
    z.refine(({ status, code: named, delayMs }) => Boolean(status ?? named) || delayMs > 0, {
      path: ["status"],
      message: "must be given, or `code`, or `delayMs`",
    }),
  );

const Fault = z.object({
  path: z.string(),
  status: z.nullable(z.int()),
  code: z.nullable(z.string()),
  times: z.int(),
  delayMs: z.int(),
});

const Message = z.object({
  id: z.string(),
  kind: z.string(),
  appId: z.nullable(z.string()),
  subjectId: z.nullable(z.string()),
  target: z.string(),
  payload: z.unknown(),
  status: z.string(),
  createdAt: instant,
  sentAt: z.nullable(instant),
});

const Moved = z.object({ now: instant });

const isRefusedByWindows = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|\.$/i;

export const snapshotName = z.string().check(
  z.regex(
    /^[A-Za-z0-9][\w.-]{0,63}$/,
    "must be 1 to 64 letters, digits, dots, dashes and underscores, and begin with a letter or a digit",
  ),
  z.refine((name) => !isRefusedByWindows.test(name), "must not be a name that Windows refuses for files"),
);

const Snapshot = z.object({ name: z.string(), now: instant, rows: z.int(), files: z.int() });

/**
 * The endpoints that only a development server has. They are not part of the API: no document and no client has them.
 */
export const development = {
  readClock: endpoint({
    method: "GET",
    path: "/dev/clock",
    summary: "Tell the server's time",
    auth: "none",
    success: { status: 200, body: Moved },
    errors: [],
  }),
  moveClock: endpoint({
    method: "POST",
    path: "/dev/clock",
    summary: "Move the clock and make the changes that are due",
    auth: "none",
    body: Move,
    success: { status: 200, body: Moved },
    errors: [],
  }),
  addFault: endpoint({
    method: "POST",
    path: "/dev/faults",
    summary: "Make the next requests to a path fail or wait",
    auth: "none",
    body: NewFault,
    success: { status: 201, body: Fault },
    errors: [],
  }),
  listFaults: endpoint({
    method: "GET",
    path: "/dev/faults",
    summary: "List the faults that are still active",
    auth: "none",
    success: { status: 200, body: z.object({ items: z.array(Fault) }) },
    errors: [],
  }),
  clearFaults: endpoint({
    method: "DELETE",
    path: "/dev/faults",
    summary: "Remove all faults",
    auth: "none",
    success: { status: 204 },
    errors: [],
  }),
  listOutbox: endpoint({
    method: "GET",
    path: "/dev/outbox",
    summary: "List the messages that would have been sent, newest first",
    auth: "none",
    success: { status: 200, body: z.object({ items: z.array(Message) }) },
    errors: [],
  }),
  saveSnapshot: endpoint({
    method: "POST",
    path: "/dev/snapshots",
    summary: "Save database, files and clock under a name, in place of an older snapshot",
    auth: "none",
    body: z.object({ name: snapshotName }),
    success: { status: 201, body: Snapshot },
    errors: [],
  }),
  listSnapshots: endpoint({
    method: "GET",
    path: "/dev/snapshots",
    summary: "List the snapshots",
    auth: "none",
    success: { status: 200, body: z.object({ items: z.array(Snapshot) }) },
    errors: [],
  }),
  loadSnapshot: endpoint({
    method: "POST",
    path: "/dev/snapshots/:name/load",
    summary: "Make database, files and clock those of a snapshot",
    auth: "none",
    params: z.object({ name: snapshotName }),
    success: { status: 200, body: Snapshot },
    errors: ["not_found", "wrong_state"],
  }),
  reset: endpoint({
    method: "POST",
    path: "/dev/reset",
    summary: "Start again: real time, no faults, no content",
    auth: "none",
    success: { status: 200, body: Moved },
    errors: [],
  }),
} as const satisfies Group;
