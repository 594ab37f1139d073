import Koa from "koa";
import { contract } from "../src/contract/index.ts";
import { docsRoutes } from "./console/docs/routes.ts";
import { iconUrlOf } from "./console/icon-url.ts";
import { identityRoutes } from "./console/identity/routes.ts";
import { createRefusals } from "./console/refusals.ts";
import { consoleRoutes } from "./console/routes.ts";
import { tavernRoutes } from "./console/tavern/routes.ts";
import type { Deps } from "./deps.ts";
import { createDevServer } from "./dev/server.ts";
import { createAddressOf } from "./http/address.ts";
import { createAdmit } from "./http/admission.ts";
import { createAnswerEarly } from "./http/answer-early.ts";
import { createArrivals } from "./http/arrivals.ts";
import { createAuthenticate } from "./http/authenticate.ts";
import { allowOrigins } from "./http/cors.ts";
import { answerErrors } from "./http/errors.ts";
import { createMetrics } from "./http/metrics.ts";
import { type Door, mount, type Route } from "./http/mount.ts";
import { observe } from "./http/observe.ts";
import { operationsRoutes } from "./http/operations.ts";
import { answerUnknown, routing } from "./http/routing.ts";
import { serveUploads } from "./http/uploads.ts";
import { agent } from "./routes/agent.ts";
import { changelog } from "./routes/changelog.ts";
import { apps } from "./routes/console/apps.ts";
import { audit } from "./routes/console/audit.ts";
import { consoleChangelog } from "./routes/console/changelog.ts";
import { cycles } from "./routes/console/cycles.ts";
import { devices } from "./routes/console/devices.ts";
import { consoleFaqs } from "./routes/console/faqs.ts";
import { threads } from "./routes/console/feedback.ts";
import { keys } from "./routes/console/keys.ts";
import { listings } from "./routes/console/listings.ts";
import { runs } from "./routes/console/runs.ts";
import { session } from "./routes/console/session.ts";
import { slots } from "./routes/console/slots.ts";
import { tokens } from "./routes/console/tokens.ts";
import { faqs } from "./routes/faqs.ts";
import { feedback } from "./routes/feedback.ts";
import { sessions } from "./routes/sessions.ts";
import { signIn } from "./routes/sign-in.ts";
import { tester } from "./routes/tester.ts";
import { uploads } from "./store/uploads.ts";

/** The whole server as a Koa application. */
export function createApp(deps: Deps): Koa {
  const app = new Koa();
  const metrics = createMetrics();
  const door = {
    authenticate: createAuthenticate(deps),
    addressOf: createAddressOf(deps.settings.trustedProxies),
    admit: createAdmit(deps),
    arrivals: createArrivals(deps),
  };
  app.use(observe(deps, metrics, createAnswerEarly(door.arrivals)));
  app.use(answerErrors(deps, createRefusals(deps.settings)));
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
      ...tavernRoutes(deps, door),
      ...(dev?.routes ?? []),
    ]),
  );
  app.use(serveUploads(deps.settings, (name) => uploads.find(deps.database, name), deps.files));
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
  ...mount(contract.sessions, sessions(deps), deps, door),
  ...mount(contract.signIn, signIn(deps), deps, door),
  ...mount(contract.session, session(deps), deps, door),
  ...mount(contract.apps, apps(deps), deps, door),
  ...mount(contract.keys, keys(deps), deps, door),
  ...mount(contract.tokens, tokens(deps), deps, door),
  ...mount(contract.threads, threads(deps), deps, door),
  ...mount(contract.runs, runs(deps), deps, door),
  ...mount(contract.consoleFaqs, consoleFaqs(deps), deps, door),
  ...mount(contract.consoleChangelog, consoleChangelog(deps), deps, door),
  ...mount(contract.devices, devices(deps), deps, door),
  ...mount(contract.audit, audit(deps), deps, door),
  ...mount(contract.listings, listings(deps), deps, door),
  ...mount(contract.cycles, cycles(deps), deps, door),
  ...mount(contract.slots, slots(deps), deps, door),
];
