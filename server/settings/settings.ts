import type { Budgets, RateLimitSettings } from "./limits.ts";

export type { ServeFlags } from "../../src/programs.ts";

/** Environment variables by their names. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of a deployment. Addresses have no trailing slash. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Folder of the SQLite database, the uploads and the secret. */
  readonly data: string;
  readonly databaseUrl: string | undefined;
  /** How many connections to PostgreSQL this server opens. The connection that listens for signals does not count. */
  readonly databasePool: number;
  /** The S3 store that keeps the uploads; undefined if the folder keeps them. */
  readonly s3: S3Settings | undefined;
  /**
   * The public address of the server. Addresses in answers begin with this or with `consoleUrl`, never with the value
   * of the Host header. (rule H26)
   */
  readonly baseUrl: string;
  readonly consoleUrl: string;
  readonly rateLimited: boolean;
  readonly rateLimits: RateLimitSettings;
  /** How many bytes of feedback one app key may send within an hour. */
  readonly feedbackBytesPerHour: number;
  /** How many bytes of files an app may have. Above this limit, new reports are stored without their files. */
  readonly storedBytesPerApp: number;
  /** The limits of open connections and of request bodies that are arriving. */
  readonly budgets: Budgets;
  readonly corsOrigins: readonly string[];
  /** Networks (CIDR) of proxies. The server trusts X-Forwarded-For only in requests from these networks. */
  readonly trustedProxies: readonly string[];
  /** Whether chats, webhooks and push services may be in private and loopback networks. */
  readonly privateWebhooks: boolean;
  /** The server for outgoing mail; undefined if no mail is sent. */
  readonly mailOut: MailOut | undefined;
  /** The mailbox that receives the answers of senders. Undefined if no answers come by mail. */
  readonly mailIn: MailIn | undefined;
  /**
   * The only web address to which sign-in codes may be sent: https, or http on loopback. Undefined if there is no such
   * address.
   */
  readonly redirectUrl: string | undefined;
  /** Whether everybody may create an account with a password. */
  readonly registration: boolean;
  readonly attestation: AttestationSettings;
  readonly identityProviders: readonly IdentityProvider[];
  /** Whether agents may call the tools over HTTP, at `/mcp`. */
  readonly mcp: boolean;
  /** The bearer token for `/metrics`. Without a token nobody can read the metrics. */
  readonly metricsToken: string | undefined;
  /** For how many days the operator keeps backups. Undefined if it is not set. */
  readonly backupsKeptDays: number | undefined;
  /** The nightly backups; undefined if the server creates none. */
  readonly drill: DrillSettings | undefined;
  /**
   * Whether Litestream copies the SQLite database. Then Litestream, not the server, copies the write-ahead log (WAL)
   * into the database file.
   */
  readonly litestream: boolean;
  /**
   * The path of the journal of erasures, which is a file outside of the database. Undefined if it is the file in the
   * data folder.
   */
  readonly erasuresFile: string | undefined;
  readonly logLevel: string;
  readonly demo: boolean;
  readonly dev: boolean;
}

/** The backups that a server creates and verifies each night. */
export interface DrillSettings {
  /** The time of day, in minutes of UTC. */
  readonly at: number;
  readonly folder: string;
  /** How many backups are kept. */
  readonly kept: number;
  /** The public keys for which backups are encrypted; undefined if they are not encrypted. */
  readonly recipient: string | undefined;
}

/** The address of a mail server, and how to connect to it. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /**
   * `immediate`: the connection is encrypted from the first byte. `starttls`: encryption begins before the sign-in and
   * the mails. `off`: no encryption.
   */
  readonly encryption: "immediate" | "starttls" | "off";
  /** Whether the server must have a certificate that this machine trusts. */
  readonly verified: boolean;
  /** The user name for the sign-in. Empty if the mail server needs no sign-in. */
  readonly user: string;
  readonly password: string;
}

/** The mail server that has the mailbox. */
export interface MailIn extends MailServer {
  readonly folder: string;
}

/** The server for outgoing mail, and the sender of the mails. */
export interface MailOut extends MailServer {
  readonly from: { readonly name: string; readonly address: string };
}

/** A bucket or a folder in an S3 store, and the key to access it. */
export interface S3Settings {
  /** The address of the bucket, without a slash at the end. */
  readonly address: string;
  readonly bucket: string;
  /** The beginning of all names in the bucket: empty, or a folder with a slash at the end. */
  readonly prefix: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Where a deployment keeps its data: in the folder, or also in a PostgreSQL database and an S3 store. */
export type DataLocation = Pick<Settings, "data" | "databaseUrl"> & Partial<Pick<Settings, "s3">>;

/** How devices prove that they run the real app. */
export type AttestationSettings =
  | { readonly kind: "off" }
  | {
      readonly kind: "play-integrity";
      readonly packageNames: readonly string[];
      /** The SHA-256 of the certificates that sign the app, in base64url. */
      readonly certificates: readonly string[];
      /**
       * The two keys of the Play Console in base64: an AES key of 256 bits, and a P-256 key as SubjectPublicKeyInfo.
       */
      readonly decryptionKey: string;
      readonly verificationKey: string;
    };

/** An OpenID Connect provider through which people sign in. */
export interface IdentityProvider {
  /** The id of the provider, which is a part of URLs. */
  readonly id: string;
  readonly name: string;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
}

/** Whether a host name or an address means this machine. An IPv6 address may be in brackets. */
export const isLoopback = (host: string): boolean => /^(localhost|::1|\[::1\]|127(\.\d{1,3}){3})$/.test(host);
