import { readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { type RateLimitName, rateLimits } from "../../src/contract/limits.ts";

export type { ServeFlags } from "../../src/programs.ts";

/** The values of environment variables, by the names of the variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings of a deployment. Addresses have no trailing slash. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** The folder of the SQLite database, the uploads and the secret. */
  readonly data: string;
  readonly databaseUrl: string | undefined;
  /** How many connections to PostgreSQL this server opens. The connection that listens for signals does not count. */
  readonly databasePool: number;
  /** The S3 store that keeps the uploads; undefined if the folder keeps them. */
  readonly s3: S3Settings | undefined;
  /**
   * The public address of the server. Addresses in answers begin with `baseUrl` or `consoleUrl`, never with the
   * Host header. (rule H26)
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
  /** The only web address to which sign-in codes may be sent: https, or http on loopback. */
  readonly redirectUrl: string | undefined;
  /** Whether everybody may create an account. */
  readonly registration: boolean;
  readonly attestation: AttestationSettings;
  readonly identityProviders: readonly IdentityProvider[];
  /** Whether agents may call the MCP tools over HTTP, at `/mcp`. */
  readonly mcp: boolean;
  /** The bearer token for `/metrics`. Without a token nobody can read the metrics. */
  readonly metricsToken: string | undefined;
  /** For how many days the operator keeps backups; undefined if this is not set. */
  readonly backupsKeptDays: number | undefined;
  /** The nightly backups; undefined if the server creates none. */
  readonly nightly: NightlySettings | undefined;
  /**
   * Whether Litestream copies the SQLite database. Then Litestream, not the server, copies the write-ahead log (WAL)
   * into the database file.
   */
  readonly litestream: boolean;
  /** The path of the journal of erasures, a file outside of the database. The default is in the data folder. */
  readonly erasuresFile: string | undefined;
  readonly logLevel: string;
  readonly demo: boolean;
  readonly dev: boolean;
}

/** The backups that a server creates and verifies each night. */
export interface NightlySettings {
  /** The time of day when the backup begins, in minutes after midnight UTC. */
  readonly at: number;
  readonly folder: string;
  readonly kept: number;
  /** The public keys for which backups are encrypted; undefined if they are not encrypted. */
  readonly recipient: string | undefined;
}

/** The address of a mail server, and how to connect to it. */
export interface MailServer {
  readonly host: string;
  readonly port: number;
  /**
   * `immediate`: encrypted from the first byte. `starttls`: encryption begins before the sign-in and the mails.
   * `off`: no encryption.
   */
  readonly encryption: "immediate" | "starttls" | "off";
  /** Whether the server must have a certificate that this machine trusts. */
  readonly verified: boolean;
  /** The user name for the sign-in. Empty if the mail server needs no sign-in. */
  readonly user: string;
  readonly password: string;
}

/** The mail server and the folder from which mails are read. */
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

/** Where the data is: the data folder, and optionally a PostgreSQL database and an S3 store. */
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
       * Keys of the Play Console in base64. `decryptionKey` is AES with 256 bits, `verificationKey` is P-256 as
       * SubjectPublicKeyInfo.
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

/** The limits of open connections, of request bodies that are arriving, and of answers. */
export interface Budgets {
  /** How many connections may be open at the same time. */
  readonly connections: number;
  /** How long the headers of a request may take to arrive. */
  readonly headMilliseconds: number;
  /** How long a whole request may take to arrive. */
  readonly requestMilliseconds: number;
  /** How long a connection may stay open without a request. */
  readonly idleMilliseconds: number;
  /** How long a client may read nothing of an answer before the connection is closed. */
  readonly stalledMilliseconds: number;
  /** How long a refused connection stays open after the answer. */
  readonly lingerMilliseconds: number;
  /** The lowest rate at which a body may arrive. */
  readonly bodyBytesPerSecond: number;
  /** How many milliseconds a body may take in addition to the time that it needs at the rate `bodyBytesPerSecond`. */
  readonly bodyPatienceMilliseconds: number;
  /** How many bytes of arriving bodies may be in memory. Large uploads do not count. */
  readonly bufferedBytes: number;
  /** The part of `bufferedBytes` for requests without a credential. */
  readonly anonymousBufferedBytes: number;
  /** How many bytes of large answers (over 1 MiB) may be in memory while clients read them. */
  readonly answerBytes: number;
  /** How many bytes of a mail are read at most. */
  readonly mailBytes: number;
  /** How many bytes of memory a worker thread may use to parse a mail, without the mail's files. */
  readonly mailThreadBytes: number;
  /** How many large uploads are received at the same time. */
  readonly uploads: number;
  readonly uploadsPerKey: number;
  /** How long a large upload may wait until the server receives it. After this time, the upload is refused. */
  readonly uploadTurnMilliseconds: number;
  /** How many bytes of a refused body are read and discarded, and for how long. */
  readonly droppedBytes: number;
  readonly dropMilliseconds: number;
  /** On how many connections the server may discard a refused body at the same time. */
  readonly drops: number;
  /**
   * How many unknown test keys may have stored rows. The least recently used keys of one app are deleted first.
   */
  readonly unknownTestKeys: number;
  /** How many connections of browsers may receive events at the same time. */
  readonly liveConnections: number;
  /** How long running requests may take to end when the server stops. */
  readonly stopMilliseconds: number;
}

const defaults = {
  headMilliseconds: 10_000,
  requestMilliseconds: 1_200_000,
  idleMilliseconds: 65_000,
  stalledMilliseconds: 120_000,
  lingerMilliseconds: 500,
  bodyBytesPerSecond: 16_384,
  bodyPatienceMilliseconds: 15_000,
  anonymousBufferedBytes: 4_194_304,
  uploads: 32,
  uploadsPerKey: 8,
  uploadTurnMilliseconds: 5_000,
  droppedBytes: 67_108_864,
  dropMilliseconds: 30_000,
  drops: 100,
  unknownTestKeys: 20_000,
  liveConnections: 2_000,
  stopMilliseconds: 8_000,
};

/** The maximum memory of a budget is the lower of `most` bytes and `share` of the machine's memory. */
const shares = {
  bufferedBytes: { most: 67_108_864, share: 1 / 8 },
  answerBytes: { most: 268_435_456, share: 1 / 4 },
  // This is enough for a mail with a text and as many attachments as a report may have.
  mailBytes: { most: 41_943_040, share: 1 / 24 },
  mailThreadBytes: { most: 268_435_456, share: 1 / 8 },
};

const ofMemory = (memory: number, { most, share }: { readonly most: number; readonly share: number }) =>
  Math.min(most, Math.floor(memory * share));

const sharesOf = (memory: number) => ({
  bufferedBytes: ofMemory(memory, shares.bufferedBytes),
  answerBytes: ofMemory(memory, shares.answerBytes),
  mailBytes: ofMemory(memory, shares.mailBytes),
  mailThreadBytes: ofMemory(memory, shares.mailThreadBytes),
});

/**
 * Returns the budgets from a list such as `connections=500,headMilliseconds=5000`, and defaults. Throws a
 * SettingError for wrong entries.
 */
export function budgetsOf(given: string | undefined, memory = memoryOfMachine()): Budgets {
  const budgets = { connections: mostConnections(), ...defaults, ...sharesOf(memory) };
  if (given === undefined) return budgets;
  return { ...budgets, ...Object.fromEntries(given.split(",").map((entry) => budgetOf(entry, budgets))) };
}

function budgetOf(entry: string, budgets: Budgets): [string, number] {
  const [, name = "", value] = /^\s*(\w+)=(\d{1,12})\s*$/.exec(entry) ?? [];
  if (Object.hasOwn(budgets, name) && Number(value) > 0) return [name, Number(value)];
  throw new SettingError(
    `INNKEEP_BUDGETS must be a list of entries such as \`connections=500\`, not \`${entry}\`. The possible names are ${Object.keys(budgets).join(", ")}. A value is a whole number from 1 to 999999999999.`,
  );
}

/**
 * Two thirds of the file descriptors, but at most 10,000. Files, database and outgoing requests need the rest.
 */
const mostConnections = (): number => Math.min(10_000, Math.floor((descriptors() * 2) / 3));

/** Returns how many file descriptors this process may have. Only Linux reports the limit. */
function descriptors(): number {
  try {
    const [, soft] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return Number(soft ?? usualDescriptors);
  } catch {
    return usualDescriptors;
  }
}

const usualDescriptors = 1_024;

/** Returns the memory of the machine in bytes, or less if its container has a limit. */
export function memoryOfMachine(): number {
  const total = totalmem();
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, total) : total;
}

/** At most `limit` requests in `windowSeconds`. */
interface RateLimitSetting {
  readonly limit: number;
  readonly windowSeconds: number;
}

type RateLimitSettings = Readonly<Record<RateLimitName, RateLimitSetting>>;

const most = { limit: 1_000_000, windowSeconds: 86_400 };

/**
 * Reads `on`, `off`, or entries such as `feedback=240/60` (requests/seconds). Throws a SettingError for a wrong
 * entry and for an entry about `sdkSession`. (rule T30)
 */
export function rateLimitsOf(given: string | undefined): {
  readonly rateLimited: boolean;
  readonly rateLimits: RateLimitSettings;
} {
  if (given === undefined || given === "on") return { rateLimited: true, rateLimits };
  if (given === "off") return { rateLimited: false, rateLimits };
  return {
    rateLimited: true,
    rateLimits: { ...rateLimits, ...Object.fromEntries(given.split(",").map(limitOf)) },
  };
}

function limitOf(entry: string): [RateLimitName, RateLimitSetting] {
  const [, name = "", limit, windowSeconds] = /^\s*(\w+)=(\d{1,7})\/(\d{1,6})\s*$/.exec(entry) ?? [];
  const rule = { limit: Number(limit), windowSeconds: Number(windowSeconds) };
  if (isLimit(name) && isWithin(rule.limit, most.limit) && isWithin(rule.windowSeconds, most.windowSeconds))
    return [name, rule];
  const names = Object.keys(rateLimits).filter(isLimit).join(", ");
  throw new SettingError(
    `INNKEEP_RATE_LIMITS must be \`on\`, \`off\` or a list of entries such as \`feedback=240/60\`, not \`${entry}\`. The possible names are ${names}. An entry allows 1 to ${most.limit} requests in 1 to ${most.windowSeconds} seconds.`,
  );
}

const isWithin = (value: number, highest: number): boolean => value >= 1 && value <= highest;

const isLimit = (name: string): name is RateLimitName =>
  Object.hasOwn(rateLimits, name) && name !== "sdkSession";

/** The error for a wrong or missing setting. The message names the setting and says what it must be. */
export class SettingError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SettingError";
  }
}
