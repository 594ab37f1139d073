import type { Fault } from "./fault.ts";

/** Mistakes in what the server does with every request. */
export const httpFaults: readonly Fault[] = [
  {
    name: "a repeated change acts twice, because its answer is not stored",
    file: "server/http/call-steps.ts",
    right:
      "      if (key && known === undefined) await idempotency.store(tx, key, storedAnswer(key, mutation, answer));\n",
    wrong: "",
    tests: ["test/http/idempotency-races", "test/http/idempotency"],
  },
  {
    name: "a change that fails does not give its use of the rate limit back",
    file: "server/http/call-steps.ts",
    right: "using.end(false);",
    wrong: "using.end(true);",
    tests: ["test/http/rate-limits", "test/http/body-encoding"],
  },
  {
    name: "a page of another site, whose address begins like ours, changes data with the person's cookie",
    file: "server/http/authenticate.ts",
    right: "new URL(url).origin === origin",
    wrong: "origin.startsWith(new URL(url).origin)",
    tests: ["test/access/sign-in/console-session", "test/access/sign-in/console-sessions"],
  },
  {
    name: "a token that may only read changes data",
    file: "server/http/authenticate.ts",
    right: "if (granted.includes(scope)) return;",
    wrong: 'if (granted.some((one) => one.split(":")[0] === scope.split(":")[0])) return;',
    tests: [
      "test/transfer/erase-imported",
      "test/transfer/export",
      "test/transfer/round-trip",
      "test/access",
    ],
  },
  {
    name: "the token of a device works for ever",
    file: "server/http/authenticate.ts",
    right: "if (!known || known.expiresAt <= deps.clock.now().getTime())",
    wrong: "if (!known)",
    tests: ["test/access/identity-providers", "test/access/sign-in"],
  },
  {
    name: "an agent whose token was revoked while it waited gets the decision",
    file: "server/feedback/agent-work/api.ts",
    right: "const caller = milliseconds === 0 ? request.caller : await request.callerNow();",
    wrong: "const { caller } = request;",
    tests: ["test/feedback/agent-work/agent-wait"],
  },
  {
    name: "a browser guesses the type of an answer, because a header is lost",
    file: "server/http/listener.ts",
    right: '[\n  ["X-Content-Type-Options", "nosniff"],\n  ["Referrer-Policy", "no-referrer"],\n] as const',
    wrong: '[["Referrer-Policy", "no-referrer"]] as const',
    tests: ["test/http/headers"],
  },
  {
    name: "a refused client is not told when to come again",
    file: "server/http/answers.ts",
    right: 'if (retryAfterSeconds !== undefined) ctx.set("Retry-After"',
    wrong: 'if (allow && retryAfterSeconds !== undefined) ctx.set("Retry-After"',
    tests: ["test/http/rate-limits"],
  },
  {
    name: "an app gets the list that was remembered before the last change",
    file: "server/http/answers.ts",
    right: "return version === wanted.version && from <= at && at < until;",
    wrong: "return version <= wanted.version && from <= at && at < until;",
    tests: ["test/content/changelog", "test/content/faqs"],
  },
  {
    name: "a range beyond the end of a file announces a byte too many",
    file: "server/http/serve-file.ts",
    right: "Math.min(Number(last), size - 1)",
    wrong: "Math.min(Number(last), size)",
    tests: ["test/http/uploads"],
  },
  {
    name: "a request that waits for nothing yet is answered as done",
    file: "server/http/call-steps.ts",
    right: "return { status: 202, body",
    wrong: "return { status: 200, body",
    tests: ["test/access/identity-providers", "test/access/sign-in"],
  },
  {
    name: "scripts of a page read the cookie of the session",
    file: "server/http/authenticate.ts",
    right: "Path=/; HttpOnly; SameSite=Lax",
    wrong: "Path=/; SameSite=Lax",
    tests: ["test/access", "test/erasure", "test/transfer"],
  },
  {
    name: "a client chooses the address under which its attempts are counted",
    file: "server/http/rate-limits/rate-limits.ts",
    right: "forwarded.reverse().find(",
    wrong: "forwarded.find(",
    tests: ["test/http/client-address"],
  },
];
