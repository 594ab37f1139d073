import type { Context, Middleware } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import { consolePathOf, createLinks } from "../console/links.ts";
import type { Deps } from "../deps.ts";
import { isOwnOrigin } from "../http/authenticate.ts";
import type { Handlers } from "../http/handler.ts";
import { mount } from "../http/pipeline.ts";
import type { Route, SharedSteps } from "../http/request-steps.ts";
import { applyFaults, createActions, createFaults, type DevActions, type Fault } from "./actions.ts";
import { isMovable } from "./clock.ts";
import { development as endpoints, pageRoutes } from "./page-routes.ts";
import { createRecorder } from "./recorder.ts";

/** The parts that `--dev` adds to a server. */
interface DevServer {
  readonly routes: readonly Route[];
  /**
   * Records requests and answers. It must run outside of the error handling, because it also records the answers to
   * failed requests.
   */
  readonly record: Middleware;
  readonly applyFaults: Middleware;
}

/**
 * Returns the parts of the development server; undefined if the server is not started with `--dev`. (rule O6)
 */
export function createDevServer(deps: Deps, steps: SharedSteps): DevServer | undefined {
  const { settings, clock } = deps;
  if (!settings.dev || !isMovable(clock)) return undefined;
  const faults = createFaults();
  const actions = createActions(deps, clock, faults);
  const api = { contract: { development: endpoints }, handlers: { development: development(actions) } };
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
 * Returns a function that returns whether a path belongs to the development server's own endpoints and pages, or to the
 * files that these pages load.
 */
function isOfPages(settings: Deps["settings"]): (path: string) => boolean {
  const assets = createLinks(consolePathOf(settings).mountedAt).asset("");
  return (path) => /^\/dev([/?]|$)/.test(path) || path.startsWith(assets);
}

/**
 * Throws `forbidden` if the request is not from a program on this machine. Otherwise pages of other sites could send
 * requests to it through the browser, even with another Host header.
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

const development = (actions: DevActions): Handlers<typeof endpoints> => ({
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

const faultAnswer = ({ path, error, times, delayMs }: Fault) => ({
  path,
  status: error?.status ?? null,
  code: error?.code ?? null,
  times,
  delayMs,
});
