import { session } from "../../../src/contract/console-session.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import type { PasskeyRequest } from "../../../src/contract/passkeys.ts";
import type { Ask } from "../../console/ask.ts";
import type { Fields } from "../../console/form-values.tsx";
import { passkeyIn } from "../../console/passkey-parts.tsx";

/** What the form of a sign-in led to. */
export type SignInOutcome =
  | { readonly outcome: "signed_in" }
  /** The second factor must be asked for. `refusal`: why the code was refused that was just sent. */
  | {
      readonly outcome: "second_factor";
      readonly step: string;
      readonly passkey: PasskeyRequest | null;
      readonly refusal?: ApiError;
    };

/**
 * Signs in with the form that was sent: with e-mail and password, or with the second factor after them. Throws why the
 * first factor was refused.
 */
export async function signInWith(ask: Ask, fields: Fields): Promise<SignInOutcome> {
  const step = fields.text("step");
  try {
    if (step === "") {
      const body = { email: fields.text("email"), password: fields.text("password") };
      await ask(session.create, { body });
    } else {
      const passkey = passkeyIn(fields.text("passkey"));
      const shown = passkey ? { passkey } : { code: fields.text("code") };
      await ask(session.finish, { body: { step, ...shown } });
    }
    return { outcome: "signed_in" };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.code === "second_factor_required" && error.details.step !== undefined)
      return askFactor(ask, error.details.step);
    if (step === "" || !aboutTheCode.has(error.code)) throw error;
    return { ...(await askFactor(ask, step)), refusal: error };
  }
}

async function askFactor(ask: Ask, step: string) {
  const { passkey } = await ask(session.askPasskey, { body: { step } });
  return { outcome: "second_factor", step, passkey } as const;
}

const aboutTheCode: ReadonlySet<string> = new Set([
  "invalid_second_factor",
  "bad_request",
  "rate_limited",
  "busy",
] satisfies ApiError["code"][]);
