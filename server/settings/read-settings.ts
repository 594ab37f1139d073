import { createPublicKey, createSecretKey } from "node:crypto";
import ipaddr from "ipaddr.js";
import * as z from "zod/mini";
import { jsonIn } from "../../src/contract/json.ts";
import { codePath } from "../../src/contract/sign-in.ts";
import { shownAddress } from "../../src/words/visible.ts";
import { isMailAddress } from "../mail/address.ts";
import {
  type AttestationSettings,
  budgetsOf,
  type Environment,
  type IdentityProvider,
  isLoopback,
  type MailIn,
  type MailOut,
  type MailServer,
  type NightlySettings,
  rateLimitsOf,
  type S3Settings,
  type ServeFlags,
  SettingError,
  type Settings,
} from "./settings.ts";

/**
 * Returns the settings. Flags have priority over variables. An empty variable counts as not set. Throws a
 * SettingError. (rule O7)
 */
export function readSettings(flags: ServeFlags, variables: Environment): Settings {
  const environment = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ""));
  assertNoneRemoved(environment);
  const host = flags.host ?? environment.INNKEEP_HOST ?? "127.0.0.1";
  const port = portOf(flags.port ?? environment.INNKEEP_PORT ?? 4700);
  const authority = host.includes(":") ? `[${host}]` : host;
  const baseUrl = urlOf(
    "INNKEEP_BASE_URL",
    flags.baseUrl ?? environment.INNKEEP_BASE_URL ?? `http://${authority}:${port}`,
  );
  const databaseUrl = databaseUrlOf(flags.databaseUrl ?? environment.INNKEEP_DATABASE_URL);
  if (flags.dev && !isLoopback(host))
    throw new SettingError("With --dev, the server listens only on loopback. Set INNKEEP_HOST to 127.0.0.1.");
  return {
    host,
    port,
    baseUrl,
    databaseUrl,
    databasePool: poolOf(environment.INNKEEP_DATABASE_POOL ?? "10"),
    data: flags.data ?? environment.INNKEEP_DATA ?? (flags.demo ? "./.innkeep/demo" : "./.innkeep"),
    s3: s3Of(environment),
    // Without INNKEEP_CONSOLE_URL, the address of the console is below the base address. (rule O3)
    consoleUrl: urlOf(
      "INNKEEP_CONSOLE_URL",
      flags.consoleUrl ?? environment.INNKEEP_CONSOLE_URL ?? `${baseUrl}/console`,
    ),
    ...rateLimitsOf(environment.INNKEEP_RATE_LIMITS),
    ...byteLimitsOf(environment),
    budgets: budgetsOf(environment.INNKEEP_BUDGETS),
    corsOrigins: listOf(environment.INNKEEP_CORS_ORIGINS).map((origin) => originOf(origin)),
    trustedProxies: listOf(environment.INNKEEP_TRUSTED_PROXIES).map(networkOf),
    privateWebhooks: switchOf("INNKEEP_PRIVATE_WEBHOOKS", environment.INNKEEP_PRIVATE_WEBHOOKS, false),
    mailOut: mailOutOf(environment),
    mailIn: mailInOf(environment),
    redirectUrl: redirectUrlOf(environment.INNKEEP_REDIRECT_URL, baseUrl),
    registration: switchOf("INNKEEP_REGISTRATION", environment.INNKEEP_REGISTRATION, true),
    mcp: switchOf("INNKEEP_MCP", environment.INNKEEP_MCP, true),
    attestation: attestationOf(environment),
    identityProviders: identityProvidersOf(environment.INNKEEP_IDENTITY_PROVIDERS),
    metricsToken: environment.INNKEEP_METRICS_TOKEN ?? environment.INNKEEP_OPERATOR_TOKEN,
    nightly: nightlyOf(environment),
    backupsKeptDays: daysOf("INNKEEP_BACKUPS_KEPT_DAYS", environment.INNKEEP_BACKUPS_KEPT_DAYS),
    litestream: litestreamOf(environment.INNKEEP_LITESTREAM, databaseUrl),
    erasuresFile: environment.INNKEEP_ERASURES,
    logLevel: levelOf(environment.INNKEEP_LOG_LEVEL ?? "info"),
    demo: flags.demo ?? false,
    dev: flags.dev ?? false,
  };
}

/** Settings of earlier versions, and why they were removed. The server does not start with such a setting. */
const removedSettings: Readonly<Record<string, string>> = {
  INNKEEP_CONTINUOUS_BACKUP: "Litestream now makes the continuous copies of SQLite",
  INNKEEP_CONTINUOUS_BACKUP_SECONDS: "Litestream now makes the continuous copies of SQLite",
};

function assertNoneRemoved(environment: Environment): void {
  const [name] = Object.keys(removedSettings).filter((each) => environment[each] !== undefined);
  if (name !== undefined)
    throw new SettingError(
      `${name} no longer has an effect: ${removedSettings[name]}. Remove this setting, and see "Continuous copies" in docs/operating.md.`,
    );
}

function litestreamOf(given: string | undefined, databaseUrl: string | undefined): boolean {
  const isOn = switchOf("INNKEEP_LITESTREAM", given, false);
  if (isOn && databaseUrl !== undefined)
    throw new SettingError(
      "INNKEEP_LITESTREAM is only for SQLite. PostgreSQL archives its log itself: see docs/operating.md. Remove INNKEEP_LITESTREAM.",
    );
  return isOn;
}

const listOf = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

function portOf(given: string | number): number {
  const port = Number(given);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SettingError(`INNKEEP_PORT must be a port from 0 to 65535, not \`${given}\`.`);
}

function databaseUrlOf(given: string | undefined): string | undefined {
  if (given === undefined || /^postgres(ql)?:\/\//.test(given)) return given;
  throw new SettingError("INNKEEP_DATABASE_URL must be a postgres:// address. To use SQLite, do not set it.");
}

function poolOf(given: string): number {
  const connections = Number(given);
  if (/^\d+$/.test(given) && connections >= 1 && connections <= 500) return connections;
  throw new SettingError(
    `INNKEEP_DATABASE_POOL must be a number of connections from 1 to 500, not \`${given}\`.`,
  );
}

function daysOf(name: string, given: string | undefined): number | undefined {
  if (given === undefined || given === "") return undefined;
  const days = Number(given);
  if (Number.isInteger(days) && days >= 1 && days <= 36_500) return days;
  throw new SettingError(`${name} must be a number of days from 1 to 36500, not \`${given}\`.`);
}

function urlOf(name: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password)
    return given.replace(/(?<!\/)\/+$/, "");
  throw new SettingError(
    `${name} must be an absolute http or https address without query and user, not \`${shownAddress(given)}\`.`,
  );
}

function originOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url && url.origin === given.replace(/\/$/, "")) return url.origin;
  throw new SettingError(
    `INNKEEP_CORS_ORIGINS must list origins such as https://app.example, not \`${shownAddress(given)}\`.`,
  );
}

function networkOf(given: string): string {
  if (ipaddr.isValidCIDR(given)) return given;
  throw new SettingError(`INNKEEP_TRUSTED_PROXIES must list networks such as 10.0.0.0/8, not \`${given}\`.`);
}

const logLevels = ["trace", "debug", "info", "warn", "error", "fatal", "silent"];

function levelOf(given: string): string {
  if (logLevels.includes(given)) return given;
  throw new SettingError(`INNKEEP_LOG_LEVEL must be one of ${logLevels.join(", ")}, not \`${given}\`.`);
}

function switchOf(name: string, given: string | undefined, fallback: boolean): boolean {
  if (given === undefined) return fallback;
  if (given === "on" || given === "off") return given === "on";
  throw new SettingError(`${name} must be \`on\` or \`off\`, not \`${given}\`.`);
}

const units: Readonly<Record<string, number>> = {
  "": 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

/** The lowest allowed limit in bytes: the size of the largest possible report. */
const least = 64 * 2 ** 20;

/** Returns the limits for the bytes of feedback. Throws a SettingError for a wrong value. */
const byteLimitsOf = (environment: Environment) => ({
  feedbackBytesPerHour: bytesOf(
    "INNKEEP_FEEDBACK_BYTES_PER_HOUR",
    environment.INNKEEP_FEEDBACK_BYTES_PER_HOUR ?? "2GiB",
  ),
  storedBytesPerApp: bytesOf(
    "INNKEEP_STORED_BYTES_PER_APP",
    environment.INNKEEP_STORED_BYTES_PER_APP ?? "20GiB",
  ),
});

/** Parses a text such as `20GiB`, or `off`. Throws a SettingError for other text or less than 64 MiB. */
function bytesOf(name: string, given: string): number {
  if (given === "off") return Number.POSITIVE_INFINITY;
  const [, digits, unit = ""] = /^(\d{1,12}) ?(KiB|MiB|GiB|TiB)?$/.exec(given) ?? [];
  const bytes = Number(digits) * (units[unit] ?? Number.NaN);
  if (bytes >= least) return bytes;
  throw new SettingError(`${name} must be at least 64MiB, such as 20GiB, or \`off\`, not \`${given}\`.`);
}

const usualKept = 7;

const mostKept = 1_000;

/**
 * Returns the settings of nightly backups; undefined if they are off. Throws a SettingError for a wrong value.
 */
export function nightlyOf(environment: Environment): NightlySettings | undefined {
  const { INNKEEP_BACKUP_DRILL: when, INNKEEP_BACKUP_DIR: folder } = environment;
  if (!when || when === "off") return undefined;
  if (!folder) throw new SettingError("INNKEEP_BACKUP_DIR must name the folder of the nightly backups.");
  return {
    at: timeOf(when),
    folder,
    kept: keptOf(environment.INNKEEP_BACKUP_KEEP),
    recipient: environment.INNKEEP_BACKUP_RECIPIENT || undefined,
  };
}

function timeOf(given: string): number {
  const time = given === "daily" ? "03:00" : given;
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time) ?? [];
  if (hours !== undefined && minutes !== undefined) return Number(hours) * 60 + Number(minutes);
  throw new SettingError(
    `INNKEEP_BACKUP_DRILL must be \`daily\`, a time of day in UTC such as \`03:30\`, or \`off\`, not \`${given}\`.`,
  );
}

function keptOf(given: string | undefined): number {
  const kept = Number(given || usualKept);
  if (Number.isInteger(kept) && kept >= 1 && kept <= mostKept) return kept;
  throw new SettingError(`INNKEEP_BACKUP_KEEP must be a number from 1 to ${mostKept}, not \`${given}\`.`);
}

/**
 * Returns the only web address that may get sign-in codes; by default, a page of this server. Throws a
 * SettingError for a wrong address.
 */
function redirectUrlOf(given: string | undefined, baseUrl: string): string | undefined {
  if (given === undefined) return isTarget(baseUrl) ? baseUrl + codePath : undefined;
  if (isTarget(given)) return given;
  throw new SettingError(
    `INNKEEP_REDIRECT_URL must be an https address without fragment and user, or http://localhost, not \`${shownAddress(given)}\`.`,
  );
}

function isTarget(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  // The check is strict, because the address is written into a response header unchanged.
  if (!url || !/^[\x21-\x7e]+$/.test(text) || text.includes("#") || url.username || url.password)
    return false;
  return url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url.hostname));
}

/** Returns how devices prove that they run the real app. Throws a SettingError for a wrong value. */
export function attestationOf(environment: Environment): AttestationSettings {
  const kind = environment.INNKEEP_ATTESTATION ?? "off";
  if (kind === "off") return { kind };
  if (kind !== "play-integrity")
    throw new SettingError(`INNKEEP_ATTESTATION must be \`off\` or \`play-integrity\`, not \`${kind}\`.`);
  return {
    kind,
    packageNames: namesOf(environment, "INNKEEP_PLAY_PACKAGES").map(packageNameOf),
    certificates: namesOf(environment, "INNKEEP_PLAY_CERTIFICATES").map(certificateOf),
    decryptionKey: keyOf(environment, "INNKEEP_PLAY_DECRYPTION_KEY", isAesKey),
    verificationKey: keyOf(environment, "INNKEEP_PLAY_VERIFICATION_KEY", isP256Key),
  };
}

function namesOf(environment: Environment, name: string): string[] {
  const names = (environment[name] ?? "").split(",").flatMap((entry) => entry.trim() || []);
  if (names.length > 0) return names;
  throw new SettingError(
    `${name} must list at least one entry while INNKEEP_ATTESTATION is \`play-integrity\`.`,
  );
}

function packageNameOf(given: string): string {
  if (/^[A-Za-z]\w*(\.[A-Za-z]\w*)+$/.test(given)) return given;
  throw new SettingError(
    `INNKEEP_PLAY_PACKAGES must list package names such as com.example.app, not \`${given}\`.`,
  );
}

/**
 * Returns the SHA-256 of a certificate in base64url. Accepts hexadecimal and base64url. Throws a SettingError
 * for other text.
 */
function certificateOf(given: string): string {
  const hex = given.replaceAll(":", "");
  if (/^[0-9a-f]{64}$/i.test(hex)) return Buffer.from(hex, "hex").toString("base64url");
  const bytes = Buffer.from(given, "base64url");
  if (/^[\w-]{43}=?$/.test(given) && bytes.length === 32) return bytes.toString("base64url");
  throw new SettingError(
    `INNKEEP_PLAY_CERTIFICATES must list SHA-256 digests in hexadecimal or base64url, not \`${given}\`.`,
  );
}

// The error never quotes the key, because a value with a typing error may contain most of the secret.
function keyOf(environment: Environment, name: string, isKey: (bytes: Buffer) => boolean): string {
  const given = (environment[name] ?? "").replace(/\s/g, "");
  if (/^[A-Za-z0-9+/]+=*$/.test(given) && isKey(Buffer.from(given, "base64"))) return given;
  throw new SettingError(`${name} must be the key that the Play Console shows, in base64.`);
}

const isAesKey = (bytes: Buffer): boolean =>
  bytes.length === 32 && createSecretKey(bytes).symmetricKeySize === 32;

function isP256Key(bytes: Buffer): boolean {
  try {
    const key = createPublicKey({ key: bytes, format: "der", type: "spki" });
    return key.asymmetricKeyDetails?.namedCurve === "prime256v1";
  } catch {
    return false;
  }
}

const Providers = z.array(
  z.object({
    id: z.string().check(z.regex(/^[a-z0-9-]{1,40}$/)),
    name: z.string().check(z.minLength(1), z.maxLength(100)),
    issuer: z.string().check(z.refine(isIssuer)),
    clientId: z.string().check(z.minLength(1)),
    clientSecret: z.optional(z.string().check(z.minLength(1))),
  }),
);

/** Whether a text can be the address of a provider: https, or http on loopback for tests. */
function isIssuer(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || url.search || url.username || url.password || text.includes("/.well-known/")) return false;
  return isTarget(text);
}

/** Reads the OpenID Connect providers from a JSON array. Throws a SettingError for another form. */
function identityProvidersOf(given: string | undefined): IdentityProvider[] {
  if (given === undefined) return [];
  const { success, data = [], error } = Providers.safeParse(jsonIn(given));
  if (!success) throw new SettingError(`${providersWanted}${faultsOf(error)}.`);
  const ids = data.map(({ id }) => id);
  if (new Set(ids).size < ids.length)
    throw new SettingError(`${providersWanted}. Each id may occur only once.`);
  return data.map((provider) => ({ clientSecret: undefined, ...provider }));
}

const providersWanted =
  "INNKEEP_IDENTITY_PROVIDERS must be a JSON array of {id, name, issuer, clientId, clientSecret?}";

/** Returns a text with the names of the wrong entries, but without their values, because some are secrets. */
function faultsOf({ issues }: z.core.$ZodError): string {
  const paths = new Set(issues.map(({ path }) => path.join(".")).filter((path) => path !== ""));
  return paths.size === 0 ? "" : `. These parts are wrong: ${[...paths].join(", ")}`;
}

const urlForm =
  "INNKEEP_SMTP_URL must be an address such as smtps://user:password@smtp.example.com or smtp://smtp.example.com:587, " +
  "with name and password in percent-encoding. With `?tls=off`, mails are sent without encryption. With `?tls=unverified`, any certificate is accepted.";

const imapForm =
  "INNKEEP_IMAP_URL must be an address such as imaps://user:password@imap.example.com or imaps://…/Folder, " +
  "with name and password in percent-encoding. With `?tls=off`, mails are read without encryption. With `?tls=unverified`, any certificate is accepted.";

const fromForm =
  "INNKEEP_MAIL_FROM must be an address such as `Larder <feedback@example.com>` or feedback@example.com";

/**
 * Returns the server for outgoing mail. Throws a SettingError that never quotes the URL, which contains a
 * password. (rule M1)
 */
export function mailOutOf(environment: Environment): MailOut | undefined {
  const { INNKEEP_SMTP_URL: given, INNKEEP_MAIL_FROM: from } = environment;
  if (!given) return undefined;
  if (!from) throw new SettingError(`${fromForm}. It must be set because INNKEEP_SMTP_URL is set.`);
  const { path, ...server } = serverOf(given, smtp);
  if (path !== "") throw new SettingError(urlForm);
  return { ...server, from: senderOf(from) };
}

/**
 * Returns the mailbox for answers of senders. Throws a SettingError that never quotes the URL, which contains a
 * password. (rule M12)
 */
export function mailInOf(environment: Environment): MailIn | undefined {
  const { INNKEEP_IMAP_URL: given, INNKEEP_SMTP_URL: out } = environment;
  if (!given) return undefined;
  if (!out) throw new SettingError("INNKEEP_SMTP_URL must be set because INNKEEP_IMAP_URL is set.");
  const { path, ...server } = serverOf(given, imap);
  return { ...server, folder: path === "" ? "INBOX" : path };
}

interface Scheme {
  readonly name: string;
  readonly securePort: number;
  readonly port: number;
  readonly wanted: string;
}

const smtp: Scheme = { name: "smtp", securePort: 465, port: 587, wanted: urlForm };

const imap: Scheme = { name: "imap", securePort: 993, port: 143, wanted: imapForm };

function serverOf(given: string, scheme: Scheme): MailServer & { readonly path: string } {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const tls = url?.searchParams.get("tls") ?? "required";
  const isImmediate = url?.protocol === `${scheme.name}s:`;
  const hasScheme = isImmediate || url?.protocol === `${scheme.name}:`;
  if (!url || !hasScheme || url.hostname === "" || url.hash) throw new SettingError(scheme.wanted);
  if (!["required", "unverified", "off"].includes(tls)) throw new SettingError(scheme.wanted);
  if (isImmediate && tls === "off") throw new SettingError(scheme.wanted);
  const own = (part: string) => decoded(part, scheme);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isImmediate ? scheme.securePort : scheme.port) : Number(url.port),
    encryption: isImmediate ? "immediate" : tls === "off" ? "off" : "starttls",
    verified: tls !== "unverified",
    user: own(url.username),
    password: own(url.password),
    path: own(url.pathname.replace(/^\//, "")),
  };
}

function decoded(part: string, { wanted }: Scheme): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new SettingError(wanted);
  }
}

function senderOf(given: string): MailOut["from"] {
  const [, name = "", inner] = /^([^<>\p{Cc}]*)<([^<>]+)>$/u.exec(given.trim()) ?? [];
  const address = inner ?? given.trim();
  if (isMailAddress(address)) return { name: name.trim().replace(/^"(.*)"$/, "$1"), address };
  throw new SettingError(`${fromForm}, not \`${given}\`.`);
}

/** Returns the S3 store. Throws a SettingError that never quotes the URL, which contains a secret. */
export function s3Of(environment: Environment): S3Settings | undefined {
  const { INNKEEP_S3_URL: given } = environment;
  if (!given) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const style = url?.searchParams.get("style") ?? "path";
  const isWeb = url?.protocol === "https:" || url?.protocol === "http:";
  if (!url || !isWeb || url.hash || !["path", "host"].includes(style)) throw wrongForm();
  if (url.protocol === "http:" && !isLoopback(url.hostname) && url.searchParams.get("tls") !== "off")
    throw new SettingError(
      `INNKEEP_S3_URL must begin with https://. For a store on a private network, an http address that ends with \`?tls=off\` is accepted, too. Then other computers on that network can read the files.`,
    );
  const [bucket = "", ...folders] = url.pathname
    .replace(/^\//, "")
    .replace(/(?<!\/)\/+$/, "")
    .split("/");
  const folder = folders.join("/");
  if (!/^[a-zA-Z0-9][a-zA-Z0-9._-]{1,61}[a-zA-Z0-9]$/.test(bucket)) throw wrongForm();
  if (!/^[a-zA-Z0-9._/-]*$/.test(folder)) throw wrongForm();
  return {
    address:
      style === "host" ? `${url.protocol}//${bucket}.${url.host}` : `${url.protocol}//${url.host}/${bucket}`,
    bucket,
    prefix: folder === "" ? "" : `${folder}/`,
    region: regionOf(url),
    ...keysOf(url, environment),
  };
}

const wrongForm = () =>
  new SettingError(
    `INNKEEP_S3_URL must be an address such as https://KEY:SECRET@s3.eu-central-1.amazonaws.com/bucket or https://HOST/bucket/folder?region=REGION, ` +
      "with key and secret in percent-encoding. With `?style=host`, the bucket is in the host name.",
  );

const withoutKeys = () =>
  new SettingError(
    `INNKEEP_S3_URL has no key and secret. Write them as https://KEY:SECRET@…, in percent-encoding, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
  );

function regionOf({ hostname, searchParams }: URL): string {
  const region = searchParams.get("region") ?? /^s3[.-]([a-z0-9-]+)\.amazonaws\.com/.exec(hostname)?.[1];
  if (region === undefined) return "us-east-1";
  if (/^[a-zA-Z0-9-]+$/.test(region)) return region;
  throw wrongForm();
}

type Keys = Pick<S3Settings, "accessKeyId" | "secretAccessKey">;

function keysOf(url: URL, environment: Environment): Keys {
  const accessKeyId = url.username === "" ? environment.AWS_ACCESS_KEY_ID : decodedKey(url.username);
  const secretAccessKey = url.username === "" ? environment.AWS_SECRET_ACCESS_KEY : decodedKey(url.password);
  if (!accessKeyId || !secretAccessKey) throw withoutKeys();
  return { accessKeyId, secretAccessKey };
}

function decodedKey(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw wrongForm();
  }
}
