import type { Deps } from "../../deps.ts";
import { hashOf } from "../../secrets/secrets.ts";
import type { UserRow } from "../accounts/store.ts";

const lifetimeMilliseconds = 600_000;

/** A person who has shown the first factor. */
export interface SignInStep {
  readonly userId: string;
  /** The hash of the stored password, which must not change before the sign-in is finished. */
  readonly password: string;
}

export const stepOf = ({ id, passwordHash }: Pick<UserRow, "id" | "passwordHash">): SignInStep => ({
  userId: id,
  password: hashOf(passwordHash),
});

/**
 * Seals that a person has shown the first factor, for ten minutes. It opens nothing without the second factor. The browser
 * keeps it in the form for the code, never in an address. (rule S23)
 */
export const sealStep = ({ sealer, clock }: Pick<Deps, "sealer" | "clock">, step: SignInStep): string =>
  sealer.seal(
    JSON.stringify({ ...step, kind: "step", expiresAt: clock.now().getTime() + lifetimeMilliseconds }),
  );

/** Undefined for a value that is foreign, changed or expired. */
export function openStep(
  { sealer, clock }: Pick<Deps, "sealer" | "clock">,
  sealed: string,
): SignInStep | undefined {
  const { kind, userId, password, expiresAt } = Object(contentOf(sealer, sealed));
  if (kind !== "step" || typeof userId !== "string" || typeof password !== "string") return undefined;
  return clock.now().getTime() < Number(expiresAt) ? { userId, password } : undefined;
}

function contentOf({ open }: Deps["sealer"], sealed: string): unknown {
  try {
    return JSON.parse(open(sealed));
  } catch {
    return undefined;
  }
}
