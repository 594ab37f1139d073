import type { Exceptions } from "./walls.ts";

const signsIn = "signs in over pages that are no part of the API, by the rules of the handlers";

/** The exceptions to the rows of `import-rules.ts`, with the reason. */
export const exceptions: Exceptions = {
  "server/console/sign-in/identity-providers/flows.ts": {
    imports: ["server/routes/access/identities.ts"],
    why: signsIn,
  },
  "server/console/sign-in/identity-providers/connect.ts": {
    imports: ["server/routes/access/identities.ts"],
    why: signsIn,
  },
  "server/console/sign-in/identity-providers/provider.ts": {
    imports: ["server/routes/access/identities.ts"],
    why: signsIn,
  },
  "server/dev/apply-faults.ts": { imports: ["koa"], why: "answers before the routes do" },
  "server/dev/recording/recorder.ts": { imports: ["koa"], why: "sees every request and its answer" },
  "server/dev/dev-server.ts": { imports: ["koa"], why: "adds routes that are no part of the API" },
  "server/routes/access/console-session.ts": {
    imports: ["server/http/authenticate.ts", "server/http/known-browser.ts"],
    why: "a sign-in sets the cookie and marks the browser",
  },
  "server/routes/access/account-links/account-links.ts": {
    imports: ["server/http/known-browser.ts"],
    why: "a new account marks its browser",
  },
  "server/routes/access/sign-in-attempt.ts": {
    imports: ["server/http/connections/client-address.ts"],
    why: "a failed sign-in counts for the network of its address",
  },
  "server/routes/testing/unknown-test-keys.ts": {
    imports: ["server/http/idempotency/idempotent-request.ts"],
    why: "it forgets the limits and the stored answers of test keys that nobody has",
  },
};
