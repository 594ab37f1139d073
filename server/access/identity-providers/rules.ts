/** An identity that a provider has just proved, and the facts that decide what the person may do. */
export interface IdentityFacts {
  /** The account to which the identity is connected. */
  readonly ownerId: string | undefined;
  /** The account that was signed in when the sign-in started. */
  readonly startedBy: string | undefined;
  /** The account that is signed in now. */
  readonly signedInAs: string | undefined;
  /** The e-mail address that the provider has verified; undefined if it has verified none. */
  readonly email: string | undefined;
  /** Whether an account has the address `email`. */
  readonly emailTaken: boolean;
  readonly registration: boolean;
}

export type IdentityVerdict =
  | { readonly action: "sign_in" }
  | { readonly action: "register"; readonly email: string }
  /** The identity is already connected to the account that is signed in, so nothing changes. */
  | { readonly action: "stay" }
  /** The person may connect the identity to the account that is signed in. */
  | { readonly action: "offer" }
  | { readonly action: "refuse"; readonly why: IdentityRefusal };

export type IdentityRefusal =
  | "session_changed"
  | "another_account"
  | "email_unverified"
  | "email_taken"
  | "registration_off";

/** Decides what a person with a proven identity may do. An e-mail address never proves who owns an account. */
export function judgeIdentity(identity: IdentityFacts): IdentityVerdict {
  return identity.startedBy === undefined ? judgeSignIn(identity) : judgeConnecting(identity);
}

function judgeSignIn({ ownerId, email, emailTaken, registration }: IdentityFacts): IdentityVerdict {
  if (ownerId !== undefined) return { action: "sign_in" };
  if (email === undefined) return { action: "refuse", why: "email_unverified" };
  if (emailTaken) return { action: "refuse", why: "email_taken" };
  if (!registration) return { action: "refuse", why: "registration_off" };
  return { action: "register", email };
}

function judgeConnecting({ ownerId, startedBy, signedInAs }: IdentityFacts): IdentityVerdict {
  if (signedInAs !== startedBy) return { action: "refuse", why: "session_changed" };
  if (ownerId === undefined) return { action: "offer" };
  if (ownerId !== signedInAs) return { action: "refuse", why: "another_account" };
  return { action: "stay" };
}
