import Koa from "koa";
import { contract } from "../src/contract/index.ts";
import { iconUrlOf } from "./console/assets/icon-url.ts";
import { docsRoutes } from "./console/docs/routes.ts";
import { createErrorPages } from "./console/pages/error/error-pages.ts";
import { consoleRoutes } from "./console/routes.ts";
import { deviceSignInRoutes } from "./console/sign-in/devices/routes.ts";
import { identityRoutes } from "./console/sign-in/identity-providers/routes.ts";
import type { Deps } from "./deps.ts";
import { createDevServer } from "./dev/dev-server.ts";
import { createAuthenticate } from "./http/authenticate.ts";
import { createAdmit } from "./http/bodies/admission.ts";
import { createIncomingBodies } from "./http/bodies/arrivals.ts";
import { createAnswerEarly } from "./http/connections/answer-early.ts";
import { createAddressOf } from "./http/connections/client-address.ts";
import { allowOrigins } from "./http/cors.ts";
import { answerErrors } from "./http/errors.ts";
import { createMetrics } from "./http/metrics.ts";
import { type Door, mount, type Route } from "./http/mount.ts";
import { observe } from "./http/observe.ts";
import { operationsRoutes } from "./http/operations-routes.ts";
import { answerUnknown, routing } from "./http/routing.ts";
import { serveFiles } from "./http/serve-file.ts";
import { apiKeyHandlers } from "./routes/access/api-keys.ts";
import { apps } from "./routes/access/apps.ts";
import { audit } from "./routes/access/audit.ts";
import { consoleSession } from "./routes/access/console-session.ts";
import { devices } from "./routes/access/devices.ts";
import { signIn } from "./routes/access/sign-in.ts";
import { tokens } from "./routes/access/tokens.ts";
import { changelog } from "./routes/content/changelog.ts";
import { consoleChangelog } from "./routes/content/console-changelog.ts";
import { consoleFaqs } from "./routes/content/console-faqs.ts";
import { faqs } from "./routes/content/faqs.ts";
import { agent } from "./routes/feedback/agent.ts";
import { consoleFeedback } from "./routes/feedback/console-feedback.ts";
import { consoleProposals } from "./routes/feedback/console-proposals.ts";
import { feedback } from "./routes/feedback/feedback.ts";
import { cycles } from "./routes/testing/cycles.ts";
import { listings } from "./routes/testing/listings.ts";
import { slots } from "./routes/testing/slots.ts";
import { testSessionHandlers } from "./routes/testing/test-sessions.ts";
import { tester } from "./routes/testing/tester.ts";
import { uploads } from "./store/requests/uploads.ts";

/** The whole server as a Koa application. */
export function createApp(deps: Deps): Koa {
  const app = new Koa();
  const metrics = createMetrics();
  const door = {
    authenticate: createAuthenticate(deps),
    addressOf: createAddressOf(deps.settings.trustedProxies),
    admit: createAdmit(deps),
    arrivals: createIncomingBodies(deps),
  };
  app.use(observe(deps, metrics, createAnswerEarly(door.arrivals)));
  app.use(answerErrors(deps, createErrorPages(deps.settings)));
  if (deps.settings.corsOrigins.length > 0) app.use(allowOrigins(deps.settings.corsOrigins));
  const dev = createDevServer(deps, door);
  if (dev) app.use(dev.applyFaults);
  app.use(
    routing([
      ...docsRoutes(deps.settings),
      ...apiRoutes(deps, door),
      ...operationsRoutes(deps, metrics),
      ...consoleRoutes(deps, door),
      ...identityRoutes(deps, door),
      ...deviceSignInRoutes(deps, door),
      ...(dev?.routes ?? []),
    ]),
  );
  app.use(serveFiles(deps.settings, (name) => uploads.find(deps.database, name), deps.files));
  app.use(answerUnknown);
  // What slips past `answerErrors` is a broken connection, which nobody can be told of.
  app.on("error", (error) => deps.log.debug({ err: error }, "connection broke"));
  return app;
}

/** One line for each group of the contract. */
const apiRoutes = (deps: Deps, door: Door): Route[] => [
  ...mount(contract.feedback, feedback(deps), deps, door),
  ...mount(contract.faqs, faqs(deps), deps, door),
  ...mount(contract.changelog, changelog(deps), deps, door),
  ...mount(contract.tester, tester(deps, iconUrlOf(deps.settings)), deps, door),
  ...mount(contract.agent, agent(deps), deps, door),
  ...mount(contract.sessions, testSessionHandlers(deps), deps, door),
  ...mount(contract.signIn, signIn(deps), deps, door),
  ...mount(contract.session, consoleSession(deps), deps, door),
  ...mount(contract.apps, apps(deps), deps, door),
  ...mount(contract.keys, apiKeyHandlers(deps), deps, door),
  ...mount(contract.tokens, tokens(deps), deps, door),
  ...mount(contract.threads, consoleFeedback(deps), deps, door),
  ...mount(contract.runs, consoleProposals(deps), deps, door),
  ...mount(contract.consoleFaqs, consoleFaqs(deps), deps, door),
  ...mount(contract.consoleChangelog, consoleChangelog(deps), deps, door),
  ...mount(contract.devices, devices(deps), deps, door),
  ...mount(contract.audit, audit(deps), deps, door),
  ...mount(contract.listings, listings(deps), deps, door),
  ...mount(contract.cycles, cycles(deps), deps, door),
  ...mount(contract.slots, slots(deps), deps, door),
];
