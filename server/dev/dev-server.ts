import type { Context, Middleware } from "koa";
import * as z from "zod/mini";
import { endpoint, type Group } from "../../src/contract/endpoint.ts";
import { ApiError, errorCatalogue, faultsOf, ownMessages } from "../../src/contract/errors.ts";
import { AppEvent, eventTypes } from "../../src/contract/events.ts";
import { anyObject, givenInstant, instant } from "../../src/contract/fields.ts";
import { type Fields, readForm } from "../console/forms.tsx";
import { consolePathOf, createLinks } from "../console/links.ts";
import { createAsks } from "../console/page-reads.ts";
import { createRespond } from "../console/respond.tsx";
import type { Deps } from "../deps.ts";
import { isOwnOrigin } from "../http/authenticate.ts";
import type { Api, Groups, Handlers } from "../http/handler.ts";
import { mount, type Route, type SharedSteps } from "../http/pipeline.ts";
import { senderOf } from "../http/rate-limits/rate-limits.ts";
import { cycles, slots } from "../testing/cycles/store.ts";
import {
  applyFaults,
  codes,
  createActions,
  createFaults,
  type DevActions,
  type Fault as SetFault,
} from "./actions.ts";
import { clockMoveOf, isDuration, isMovable } from "./clock.ts";
import { type DevPageData, devPage, type SentForm } from "./page.tsx";
import { createRecorder, type Recorder } from "./recorder.ts";
import { createTrigger, type Trigger } from "./trigger.ts";

/** The parts that `--dev` adds to a server. */
interface DevServer {
  readonly routes: readonly Route[];
  /** Records requests and answers. It must run outside of the error handling to record failed requests, too. */
  readonly record: Middleware;
  readonly applyFaults: Middleware;
}

/**
 * Returns the parts of the development server; undefined if the server is not started with `--dev`. (rule O6)
 */
export function createDevServer<C extends Groups>(
  deps: Deps,
  steps: SharedSteps,
  served: Api<C>,
): DevServer | undefined {
  const { settings, clock } = deps;
  if (!settings.dev || !isMovable(clock)) return undefined;
  const faults = createFaults();
  const actions = createActions(deps, clock, faults);
  const trigger = createTrigger(deps, {
    ...{ asks: createAsks(served, deps), actions, authenticate: steps.authenticate },
  });
  const api = {
    contract: { development },
    handlers: { development: developmentHandlers(actions, trigger) },
  };
  const recorder = createRecorder(clock, isOfPages(settings));
  const routes = [...mount(api, deps, steps), ...pageRoutes({ deps, steps, actions, recorder })];
  return {
    record: recorder.record,
    applyFaults: applyFaults(faults, deps),
    routes: routes.map((route) => ({
      ...route,
      async answer(ctx, params) {
        refuseOthers(ctx, deps);
        await route.answer(ctx, params);
      },
    })),
  };
}

/**
 * Returns a function that takes a path, and says whether the path belongs to the development server's pages.
 */
function isOfPages(settings: Deps["settings"]): (path: string) => boolean {
  const assets = createLinks(consolePathOf(settings).mountedAt).asset("");
  return (path) => /^\/dev([/?]|$)/.test(path) || path.startsWith(assets);
}

/**
 * Throws `forbidden` if the request is not local. A web site can send requests through the developer's browser.
 */
function refuseOthers(ctx: Context, { settings }: Pick<Deps, "settings">): void {
  const { headers, socket } = ctx.req;
  const { host = "", origin } = headers;
  const isForwarded = proxyHeaders.some((name) => headers[name] !== undefined);
  const isLocal = isLoopbackHost(host) && isLoopback(socket.remoteAddress ?? "") && !isForwarded;
  if (isLocal && (origin === undefined || isOwnOrigin(origin, settings))) return;
  throw new ApiError("forbidden", {
    message: "Only programs on this machine may use the development server.",
  });
}

/** The headers that proxies add to a request. A proxy adds at least one of them. */
const proxyHeaders = ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"];

const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

const isLoopback = (address: string): boolean => /^(::1$|(::ffff:)?127\.)/.test(address);

const developmentHandlers = (actions: DevActions, trigger: Trigger): Handlers<typeof development> => ({
  trigger: async ({ body: { event, app, set } }) => {
    const items = await trigger({ event, app, set });
    return { items: [...items], now: actions.now().toISOString() };
  },
  readClock: async () => ({ now: actions.now().toISOString() }),
  moveClock: async ({ body }) => ({ now: (await actions.moveClock(body)).toISOString() }),
  addFault: async ({ body }) => faultAnswer(actions.addFault(body)),
  listFaults: async () => ({ items: actions.faults().map(faultAnswer) }),
  async clearFaults() {
    actions.clearFaults();
  },
  listOutbox: async () => ({ items: await actions.messages() }),
  saveSnapshot: ({ body: { name } }) => actions.saveSnapshot(name),
  listSnapshots: async () => ({ items: await actions.snapshots() }),
  loadSnapshot: ({ params: { name } }) => actions.loadSnapshot(name),
  reset: async () => ({ now: (await actions.reset()).toISOString() }),
});

const faultAnswer = ({ path, error, times, delayMs }: SetFault) => ({
  path,
  status: error?.status ?? null,
  code: error?.code ?? null,
  times,
  delayMs,
});

interface DevPageParts {
  readonly deps: Deps;
  readonly steps: SharedSteps;
  readonly actions: DevActions;
  readonly recorder: Recorder;
}

const shownCycles = 3;

const shownMessages = 50;

/** The routes of the page and its forms. The answer to each form redirects to the page. (rule O16) */
function pageRoutes(parts: DevPageParts): Route[] {
  const { deps, steps } = parts;
  const respond = createRespond(deps.settings, steps);
  const show = async (ctx: Context, done: string, sent?: SentForm) =>
    await respond(ctx, {
      status: sent ? sent.refusal.status : 200,
      document: devPage({ ...(await dataOf(parts)), done, sent }),
    });

  const form = (name: SentForm["name"], act: FormAction): Route => ({
    method: "POST",
    path: `/dev/forms/${name}`,
    async answer(ctx) {
      refuseForeignForm(ctx, deps.settings);
      const sender = senderOf(undefined, steps.addressOf(ctx.req));
      const fields = await readForm(ctx.req, { arrivals: steps.arrivals, sender });
      try {
        await respond(ctx, { location: `/dev?done=${await act(fields)}` });
      } catch (refusal) {
        if (!(refusal instanceof ApiError)) throw refusal;
        await show(ctx, "", { name, fields, refusal });
      }
    },
  });

  return [
    {
      method: "GET",
      path: "/dev",
      answer: (ctx) => show(ctx, new URLSearchParams(ctx.querystring).get("done") ?? ""),
    },
    ...formsOf(parts).map(([name, act]) => form(name, act)),
  ];
}

async function dataOf({ deps, actions, recorder }: DevPageParts): Promise<DevPageData> {
  const { settings, database, clock } = deps;
  const running = await cycles.running(database, shownCycles);
  return {
    links: createLinks(consolePathOf(settings).href),
    baseUrl: settings.baseUrl,
    now: actions.now(),
    offsetMs: clock.offsetMs,
    faults: actions.faults(),
    snapshots: await actions.snapshots(),
    messages: (await actions.messages()).slice(0, shownMessages),
    requests: recorder.list(),
    cycles: await Promise.all(
      running.map(async (cycle) => ({ cycle, slots: await slots.list(database, cycle.id) })),
    ),
  };
}

/** Runs the action of a form. Returns the word by which the page chooses its message. */
type FormAction = (fields: Fields) => Promise<string>;

const formsOf = ({ actions, recorder }: DevPageParts): [SentForm["name"], FormAction][] => [
  [
    "clock",
    async (fields) => {
      await aboutField("move", () => actions.moveClock(parsed(Move, clockMoveOf(fields.text("move")))));
      return "moved";
    },
  ],
  [
    "fault",
    async (fields) => {
      actions.addFault(parsed(NewFault, faultIn(fields)));
      return "fault-added";
    },
  ],
  [
    "clear-faults",
    async () => {
      actions.clearFaults();
      return "faults-cleared";
    },
  ],
  [
    "snapshot",
    async (fields) => {
      await aboutField("name", () => actions.saveSnapshot(parsed(snapshotName, fields.text("name"))));
      return "saved";
    },
  ],
  [
    "load",
    async (fields) => {
      await actions.loadSnapshot(parsed(snapshotName, fields.text("name")));
      return "loaded";
    },
  ],
  [
    "forget",
    async () => {
      recorder.clear();
      return "forgotten";
    },
  ],
  [
    "reset",
    async () => {
      await actions.reset();
      return "reset";
    },
  ],
];

/** Throws `forbidden` if a page of another site sent the form, as the header `Origin` shows. */
function refuseForeignForm({ req }: Context, settings: Deps["settings"]): void {
  if (isOwnOrigin(req.headers.origin, settings)) return;
  throw new ApiError("forbidden", {
    message: `This form was not sent from ${settings.baseUrl}/dev. Open that page and send it again.`,
  });
}

const faultIn = (fields: Fields) => ({
  path: fields.text("path"),
  ...numberIn(fields, "status"),
  ...numberIn(fields, "times"),
  ...numberIn(fields, "delayMs"),
});

const numberIn = (fields: Fields, name: string) =>
  fields.text(name).trim() === "" ? {} : { [name]: Number(fields.text(name)) };

/** Returns the parsed value. Throws `bad_request` with the faults of the value. */
function parsed<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, success } = schema.safeParse(value, ownMessages);
  if (success) return data;
  throw new ApiError("bad_request", { issues: faultsOf(schema, value) });
}

/** Runs the action of a form. The page shows all faults of the input at the field `name`. */
async function aboutField(name: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError) || !error.details.issues) throw error;
    throw new ApiError("bad_request", {
      issues: error.details.issues.map(({ message }) => ({ path: name, message })),
    });
  }
}

const Move = z
  .object({
    advance: z.optional(
      z.string().check(z.refine(isDuration, "must be an ISO 8601 duration such as P1D or -PT12H")),
    ),
    set: z.optional(givenInstant),
  })
  .check(
    z.refine(({ advance, set }) => (advance === undefined) !== (set === undefined), {
      path: ["advance"],
      message: "must be given if `set` is not given; both together are not possible",
    }),
  );

const code = z.enum(Object.keys(errorCatalogue));

const whole = (least: number, most: number) =>
  z
    .int("must be a whole number")
    .check(z.gte(least, `must be at least ${least}`), z.lte(most, `must be at most ${most}`));

const NewFault = z
  .object({
    path: z.string().check(
      z.refine((path) => path.startsWith("/") && !/[?#]/.test(path), "must be a path that begins with /"),
      z.refine((path) => !/^\/dev(\/|$)/.test(path), "must not be a path of the development server itself"),
    ),
    status: z.optional(whole(400, 599)),
    code: z.optional(code),
    times: z._default(whole(1, 1_000_000), 1),
    delayMs: z._default(whole(0, 600_000), 0),
  })
  .check(
    z.refine(({ status, code: named, delayMs }) => Boolean(status ?? named) || delayMs > 0, {
      path: ["status"],
      message: "must be given if neither `code` nor `delayMs` is given",
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

/** The endpoints that only a development server has. The API documents and the clients do not contain them. */
export const development = {
  readClock: endpoint({
    method: "GET",
    path: "/dev/clock",
    summary: "Read the server's time",
    auth: "none",
    success: { status: 200, body: Moved },
    errors: [],
  }),
  moveClock: endpoint({
    method: "POST",
    path: "/dev/clock",
    summary: "Move the clock and apply the changes that are due",
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
    summary: "List the messages that a real server would have sent, newest first",
    auth: "none",
    success: { status: 200, body: z.object({ items: z.array(Message) }) },
    errors: [],
  }),
  saveSnapshot: endpoint({
    method: "POST",
    path: "/dev/snapshots",
    summary:
      "Save database, files and clock under a name; overwrites an older snapshot that has the same name",
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
    summary: "Restore database, files and clock from a snapshot",
    auth: "none",
    params: z.object({ name: snapshotName }),
    success: { status: 200, body: Snapshot },
    errors: ["not_found", "wrong_state"],
  }),
  trigger: endpoint({
    method: "POST",
    path: "/dev/trigger",
    summary: "Cause an event; the answer contains the events that followed",
    auth: "none",
    body: z.object({
      event: z.enum(eventTypes),
      /** The id or the name of the app. */
      app: z.optional(z.string()),
      /** Fields of the request that causes the event. */
      set: z._default(anyObject, {}),
    }),
    success: { status: 200, body: z.object({ items: z.array(AppEvent), now: instant }) },
    errors: codes,
  }),
  reset: endpoint({
    method: "POST",
    path: "/dev/reset",
    summary: "Set the real time, remove all faults, and restore the content that the server had at its start",
    auth: "none",
    success: { status: 200, body: Moved },
    errors: [],
  }),
} as const satisfies Group;
