import type { RequestListener } from "node:http";
import Koa from "koa";
import { contract } from "../src/contract/index.ts";
import { identityRoutes } from "./access/identity-providers/flow.tsx";
import { oauthRoutes } from "./access/oauth/api.ts";
import { consentRoutes } from "./access/oauth/page.tsx";
import { deviceSignInRoutes } from "./access/sign-in/page/device.tsx";
import { docsRoutes } from "./console/api-docs.tsx";
import { createErrorPages } from "./console/layout.tsx";
import { consoleRoutes } from "./console/routes.ts";
import type { Deps } from "./deps.ts";
import { createDevServer } from "./dev/dev-server.ts";
import { createFollow } from "./feedback/agent-work/follow.ts";
import { uploads } from "./files/store.ts";
import { createHandlers } from "./handlers.ts";
import { answerErrors, createHoldAnswer } from "./http/answers.ts";
import { createAuthenticate, createReadCredentials } from "./http/authenticate.ts";
import { createAdmit } from "./http/body/admission.ts";
import { createIncomingBodies } from "./http/body/read-body.ts";
import { mapEndpoints, type ServedEndpoint, servedBy } from "./http/handler.ts";
import {
  createAnswerEarly,
  createMetrics,
  createObserver,
  createReady,
  observe,
  type Watched,
} from "./http/listener.ts";
import { createReadOpenApi, operationsRoutes } from "./http/operations.ts";
import { allowOrigins, answerUnknown, mount, routing } from "./http/pipeline.ts";
import { createAddressOf } from "./http/rate-limits/rate-limits.ts";
import { serveFiles } from "./http/serve-file.ts";
import { senderPageRoutes } from "./mail/sender-page/page.tsx";
import { createReadUpload, mcpRoutes } from "./mcp/routes.ts";
import { stopMailRoutes } from "./notices/mails/page.tsx";

/**
 * Returns the function that answers every request. If `ready` is true, the function may send cached answers
 * without Koa (`http/listener.ts`).
 */
export function createApp(
  deps: Deps,
  watched: Watched = {},
  { ready: wanted = !deps.settings.dev } = {},
): RequestListener {
  const app = new Koa();
  const api = { contract, handlers: createHandlers(deps) };
  const metrics = createMetrics({
    ...watched,
    logBytes: deps.database.logBytes,
    liveConnections: deps.liveConnections.count,
  });
  const observer = createObserver(deps, metrics);
  const endpoints = mapEndpoints(api, (endpoint, handle): ServedEndpoint => servedBy(endpoint, handle));
  const readOpenApi = createReadOpenApi(deps.settings);
  const ready = wanted ? createReady(endpoints, deps, observer) : undefined;
  const steps = {
    ready,
    readCredentials: createReadCredentials(deps.settings),
    authenticate: createAuthenticate(deps),
    addressOf: createAddressOf(deps.settings.trustedProxies),
    admit: createAdmit(deps),
    arrivals: createIncomingBodies(deps),
    holdAnswer: createHoldAnswer(deps),
  };
  const findUpload = (name: string) => uploads.find(deps.database, name);
  const readUpload = createReadUpload(findUpload, deps.files);
  app.use(observe(deps, observer, createAnswerEarly(steps.arrivals)));
  const dev = createDevServer(deps, steps, api);
  if (dev) app.use(dev.record);
  app.use(answerErrors(deps, createErrorPages({ settings: deps.settings, steps })));
  if (deps.settings.corsOrigins.length > 0) app.use(allowOrigins(deps.settings.corsOrigins));
  if (dev) app.use(dev.applyFaults);
  app.use(
    // All paths of the API begin with `/api/v1`. The other routes are for browsers, agents and operators. (rule H1)
    routing([
      ...docsRoutes(deps.settings, readOpenApi),
      ...mount(api, deps, steps),
      ...operationsRoutes(deps, metrics, readOpenApi),
      ...oauthRoutes(deps, steps),
      ...consentRoutes(deps, steps, api),
      ...mcpRoutes({ deps, steps, api, metrics, readUpload, follow: createFollow(deps) }),
      ...consoleRoutes(deps, steps, api),
      ...identityRoutes(deps, steps),
      ...deviceSignInRoutes(deps, steps, api),
      ...senderPageRoutes(deps, steps),
      ...stopMailRoutes(deps, steps),
      ...(dev?.routes ?? []),
    ]),
  );
  app.use(serveFiles(deps.settings, findUpload, deps.files));
  app.use(answerUnknown);
  // An error that `answerErrors` does not catch comes from a broken connection. So no client waits for an answer.
  app.on("error", (error) => deps.log.debug({ err: error }, "connection broke"));
  const callback = app.callback();
  return ready ? ready.before(callback) : callback;
}
