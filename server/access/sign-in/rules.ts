export const codeLifetimeMilliseconds = 300_000;

export const tokenLifetimeDays = 90;

/** A sign-in code as it was created. */
export interface SignInCode {
  readonly deviceId: string;
  readonly challenge: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
  readonly replacedAt: string | null;
}

/** The device that presents a code, and the challenge of its verifier. */
export interface Presentation {
  readonly deviceId: string;
  readonly challenge: string;
}

/** `why` is for the log. To the device all refusals are the same `invalid_code`. */
export type CodeVerdict = { readonly accepted: true } | { readonly accepted: false; readonly why: string };

/** Decides whether a code may be exchanged. (rule S7) */
export function judgeCode(code: SignInCode | undefined, shown: Presentation, now: Date): CodeVerdict {
  const refuse = (why: string): CodeVerdict => ({ accepted: false, why });

  if (!code) return refuse("unknown code");
  if (code.usedAt !== null) return refuse("used before");
  if (code.replacedAt !== null) return refuse("replaced by a newer code");
  if (code.expiresAt <= now.toISOString()) return refuse("expired");
  if (code.deviceId !== shown.deviceId) return refuse("presented by another device");
  if (code.challenge !== shown.challenge) return refuse("verifier does not match the challenge");
  return { accepted: true };
}
