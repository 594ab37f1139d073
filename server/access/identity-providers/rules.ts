/** An identity that a provider has just proved, and the related facts of this deployment. */
export interface ProvenIdentity {
  /** The account to which the identity belongs. */
  readonly ownerId: string | undefined;
  /** The account that was signed in when the sign-in started, and the one that is now. */
  readonly startedBy: string | undefined;
  readonly signedInAs: string | undefined;
  /** The address that the provider has verified, or undefined. */
  readonly email: string | undefined;
  /** Whether an account has that address. */
  readonly emailTaken: boolean;
  /** Whether anyone may create an account. */
  readonly registration: boolean;
}

export type IdentityVerdict =
  | { readonly act: "sign_in" }
  | { readonly act: "register"; readonly email: string }
  /** The identity belongs to the account that is signed in. */
  | { readonly act: "stay" }
  /** The person may connect the identity to the account that is signed in. */
  | { readonly act: "offer" }
  | { readonly act: "refuse"; readonly why: IdentityRefusal };

export type IdentityRefusal =
  | "session_changed"
  | "another_account"
  | "email_unverified"
  | "email_taken"
  | "registration_off";

/**
 * Decides what a proven identity opens. An unknown identity is never connected to an account because of its address: a
 * provider's claim that a person reads that mailbox does not prove that the account is theirs.
 */
export function judgeIdentity(identity: ProvenIdentity): IdentityVerdict {
  return identity.startedBy === undefined ? judgeSignIn(identity) : judgeConnecting(identity);
}

function judgeSignIn({ ownerId, email, emailTaken, registration }: ProvenIdentity): IdentityVerdict {
  if (ownerId !== undefined) return { act: "sign_in" };
  if (email === undefined) return { act: "refuse", why: "email_unverified" };
  if (emailTaken) return { act: "refuse", why: "email_taken" };
  if (!registration) return { act: "refuse", why: "registration_off" };
  return { act: "register", email };
}

function judgeConnecting({ ownerId, startedBy, signedInAs }: ProvenIdentity): IdentityVerdict {
  if (signedInAs !== startedBy) return { act: "refuse", why: "session_changed" };
  if (ownerId === undefined) return { act: "offer" };
  if (ownerId !== signedInAs) return { act: "refuse", why: "another_account" };
  return { act: "stay" };
}
