/** Somebody whom a provider has just vouched for, and what is known here. */
export interface ProvenIdentity {
  /** The account that the identity belongs to. */
  readonly ownerId: string | undefined;
  /** Who was signed in when the way to the provider began, and who is now. */
  readonly startedBy: string | undefined;
  readonly signedInAs: string | undefined;
  /** The address that the provider has verified; undefined where it has verified none. */
  readonly email: string | undefined;
  /** Whether an account has that address. */
  readonly emailTaken: boolean;
  /** Whether anybody may make an account. */
  readonly registration: boolean;
}

export type IdentityVerdict =
  | { readonly act: "sign_in" }
  | { readonly act: "register"; readonly email: string }
  /** It is connected to the account that is signed in. */
  | { readonly act: "stay" }
  /** The person may connect it to the account that is signed in. */
  | { readonly act: "offer" }
  | { readonly act: "refuse"; readonly why: IdentityRefusal };

export type IdentityRefusal =
  | "session_changed"
  | "another_account"
  | "email_unverified"
  | "email_taken"
  | "registration_off";

/**
 * Decides what a proven identity opens. One that is unknown is never connected to an account because of its address: a
 * provider's word that somebody reads that mailbox does not prove that they hold the account.
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
