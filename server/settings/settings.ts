import type { Budgets } from "./budgets.ts";
import type { RateLimitSettings } from "./rate-limit-settings.ts";

/** What a deployment decides. Addresses have no trailing slash. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Folder of the SQLite database, the uploads and the secret. */
  readonly data: string;
  readonly databaseUrl: string | undefined;
  /** Addresses in answers are built from these, never from the Host header. */
  readonly baseUrl: string;
  readonly consoleUrl: string;
  readonly rateLimited: boolean;
  readonly rateLimits: RateLimitSettings;
  /** What connections and bodies on their way may cost. */
  /** Bytes of feedback that one app key may send within an hour. */
  readonly feedbackBytesPerHour: number;
  /** Bytes of files that an app may have; beyond them reports are kept without theirs. */
  readonly storedBytesPerApp: number;
  readonly budgets: Budgets;
  readonly corsOrigins: readonly string[];
  /** Networks (CIDR) whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Whether chat webhooks may point into private and loopback networks. */
  readonly privateWebhooks: boolean;
  /** The one https target to which sign-in codes may be sent (http on loopback); undefined where there is none. */
  readonly redirectUrl: string | undefined;
  /** Whether anybody may make a password account. */
  readonly registration: boolean;
  readonly attestation: AttestationSettings;
  readonly identityProviders: readonly IdentityProvider[];
  /** The bearer token that reads `/metrics`; without one nobody can. */
  readonly metricsToken: string | undefined;
  readonly logLevel: string;
  readonly demo: boolean;
  readonly dev: boolean;
}

/** How devices prove what they are. */
export type AttestationSettings =
  | { readonly kind: "off" }
  | {
      readonly kind: "play-integrity";
      readonly packageNames: readonly string[];
      /** SHA-256 of the certificates that sign the app, base64url. */
      readonly certificates: readonly string[];
      /** The two keys of the Play Console, base64: AES of 256 bits, and P-256 as SubjectPublicKeyInfo. */
      readonly decryptionKey: string;
      readonly verificationKey: string;
    };

/** An OpenID Connect provider with which people sign in. */
export interface IdentityProvider {
  /** Stands in addresses. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}
