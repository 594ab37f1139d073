import type { Context, Middleware } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import { consolePathOf } from "../console/console-path.ts";
import { createLinks } from "../console/links.ts";
import type { Deps } from "../deps.ts";
import { isOwnOrigin } from "../http/authenticate.ts";
import { type Door, mount, type Route } from "../http/mount.ts";
import { createActions } from "./actions.ts";
import { applyFaults } from "./apply-faults.ts";
import { isMovable } from "./clock.ts";
import { development as endpoints } from "./contract.ts";
import { createFaults } from "./faults.ts";
import { development } from "./handlers.ts";
import { pageRoutes } from "./page-routes.ts";
import { createRecorder } from "./recorder.ts";

/** The parts that `--dev` adds to a server. */
export interface DevServer {
  readonly routes: readonly Route[];
  /** Records requests and answers. It must see the answers of errors, too. */
  readonly record: Middleware;
  readonly applyFaults: Middleware;
}

/** Gives undefined if the server is not a development server. */
export function createDevServer(deps: Deps, door: Door): DevServer | undefined {
  const { settings, clock } = deps;
  if (!settings.dev || !isMovable(clock)) return undefined;
  const faults = createFaults();
  const actions = createActions(deps, clock, faults);
  const api = { contract: { development: endpoints }, handlers: { development: development(actions) } };
  const recorder = createRecorder(clock, isOfPages(settings));
  const routes = [...mount(api, deps, door), ...pageRoutes({ deps, door, actions, recorder })];
  return {
    record: recorder.record,
    applyFaults: applyFaults(faults, deps),
    routes: routes.map((route) => ({
      ...route,
      async answer(ctx, params) {
        refuseStrangers(ctx, deps);
        await route.answer(ctx, params);
      },
    })),
  };
}

/** Whether a path is one of the development server, or of the files of its pages. */
function isOfPages(settings: Deps["settings"]): (path: string) => boolean {
  const assets = createLinks(consolePathOf(settings).mountedAt).asset("");
  return (path) => /^\/dev([/?]|$)/.test(path) || path.startsWith(assets);
}

/**
 * Only programs on this machine may drive the server. Pages of other sites can send requests to it, even with a foreign
 * Host header.
 */
function refuseStrangers(ctx: Context, { settings }: Pick<Deps, "settings">): void {
  const { headers, socket } = ctx.req;
  const { host = "", origin } = headers;
  const isForwarded = ofProxies.some((name) => headers[name] !== undefined);
  const isNear = isLoopbackHost(host) && isLoopback(socket.remoteAddress ?? "") && !isForwarded;
  if (isNear && (origin === undefined || isOwnOrigin(origin, settings))) return;
  throw new ApiError("forbidden", { message: "Only programs on this machine drive the development server." });
}

/** What proxies add to a request, each some of it. */
const ofProxies = ["x-forwarded-for", "x-forwarded-host", "x-real-ip", "forwarded", "via"];

const isLoopbackHost = (host: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i.test(host);

const isLoopback = (address: string): boolean => /^(::1$|(::ffff:)?127\.)/.test(address);
