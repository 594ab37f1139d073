import { ServerError } from "../../client/errors.ts";
import { CliError } from "../core/cli-error.ts";
import { failureOf } from "../core/failures.ts";

/** Adds the next step to a refusal of a sign-in. Gives any other error unchanged. */
export function asSignInFailure(error: unknown): unknown {
  if (!(error instanceof ServerError)) return error;
  const next = nextSteps[error.code];
  if (next === undefined) return error;
  const { exit, code, message, next: _, ...details } = failureOf(error);
  const reasons = reasonsIn(error.body);
  const why = reasons.length > 0 ? ` It says: ${reasons.map(inWords).join(", and ")}.` : "";
  return new CliError({
    exit,
    code,
    message: `${message}${why}`,
    next,
    ...details,
    ...(reasons.length > 0 && { reasons }),
  });
}

const nextSteps: Readonly<Record<string, string>> = {
  invalid_code:
    "Run `innkeep auth login` again. A code works once, for 5 minutes, for the sign-in that it was made for.",
  integrity_failed:
    "This server takes attested phones only: sign in with the tester's app, and use `innkeep` with a server that has attestation off.",
  device_taken:
    "Sign this device out in the console of the account that it is linked to, then run `innkeep auth login` again.",
  bad_redirect:
    "This server sends codes elsewhere. Ask its operator for the target, and give it with --redirect.",
  access_denied: "Run `innkeep auth login` again when the person agrees.",
};

const words: Readonly<Record<string, string>> = {
  device_integrity_failed: "the device could not be verified",
  app_not_recognized: "the app is not one that it knows",
};

const inWords = (reason: string): string => words[reason] ?? reason;

function reasonsIn(body: unknown): string[] {
  if (typeof body !== "object" || body === null || !("reasons" in body)) return [];
  const { reasons } = body;
  return Array.isArray(reasons) ? reasons.filter((reason) => typeof reason === "string") : [];
}
