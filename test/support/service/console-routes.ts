import { consoleRoutes } from "../../../server/console/routes.ts";
import { createHandlers } from "../../../server/handlers.ts";
import { createHoldAnswer } from "../../../server/http/answers.ts";
import { createAuthenticate, createReadCredentials } from "../../../server/http/authenticate.ts";
import { createAdmit } from "../../../server/http/body/admission.ts";
import { createIncomingBodies } from "../../../server/http/body/read-body.ts";
import type { Route } from "../../../server/http/pipeline.ts";
import { createAddressOf } from "../../../server/http/rate-limits/rate-limits.ts";
import { contract } from "../../../src/contract/index.ts";
import type { Service } from "./service.ts";

/** The routes that everybody may open: those for the sign-in, and files that are the same for all. */
const isOpen = ({ path }: Route): boolean =>
  path === "/" || /^\/console\/(assets\/|push-worker\.js$|sign-in$|recover|sign-up)/.test(path);

/** Every route of the console for which a person must be signed in, from the server's own list. */
export function guardedConsoleRoutes({ deps }: Service): Pick<Route, "method" | "path">[] {
  const steps = {
    readCredentials: createReadCredentials(deps.settings),
    authenticate: createAuthenticate(deps),
    addressOf: createAddressOf(deps.settings.trustedProxies),
    admit: createAdmit(deps),
    arrivals: createIncomingBodies(deps),
    holdAnswer: createHoldAnswer(deps),
  };
  return consoleRoutes(deps, steps, { contract, handlers: createHandlers(deps) }).filter(
    (route) => !isOpen(route),
  );
}
