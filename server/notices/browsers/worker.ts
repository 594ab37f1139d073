import {
  createCipheriv,
  createECDH,
  createPrivateKey,
  ECDH,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import { SignJWT } from "jose";
import type { Transaction } from "../../database/database.ts";
import { pushesTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { postSafely, reachOf } from "../../http/post-safely.ts";
import { longestSleep, pauseInDoubt, startTargetQueues } from "../../jobs/runner.ts";
import { openAddress, sealAddress } from "../../secrets/secrets.ts";
import { choicesOf, stillWants } from "../choices/rules.ts";
import { noticeChoices, quietHoursOf } from "../choices/store.ts";
import { itemsOf, knownOf } from "../waiting/items.ts";
import { afterQuiet } from "../waiting/rules.ts";
import { type Batch, noticeFacts, notices } from "../waiting/store.ts";
import {
  keptMilliseconds,
  mostAtOnce,
  noticeAbout,
  noticeOfSeveral,
  type Outcome,
  outcomeOf,
  type ShownNotice,
  secondsToLive,
  urgencyOf,
} from "./rules.ts";
import {
  type BrowserAddress,
  type DuePush,
  noticeBrowsers,
  noticePushes,
  type PushKeysRow,
  pushKeys,
} from "./store.ts";

type PushDeps = Pick<Deps, "clock" | "database" | "log" | "sealer" | "settings" | "time">;

/** The highest number of notices that one browser gets in one run. */
const atOnce = 8;

/** The maximum time for one attempt to send a notice. */
const timeLimitMs = 15_000;

/** How long a notice is reserved for this server. This is longer than all attempts of one run together. */
const holdMilliseconds = atOnce * timeLimitMs + 30_000;

/**
 * Sends notices to push services, with one queue for each browser. Returns the function that stops the sending.
 * (rule N11)
 */
export const startPushes = (deps: PushDeps): (() => Promise<void>) =>
  startTargetQueues(deps, {
    topic: pushesTopic,
    async dueTargets(busy, most) {
      // If the clock is wrong, the server could cancel a notice, or a push service could refuse the server's token.
      if (deps.time.isDoubtful()) return [];
      const due = await noticePushes.dueBrowsers(deps.database, deps.clock.now().toISOString(), busy, most);
      return due.map(({ browserId }) => browserId);
    },
    serve: (browserId, stopping) => serve(deps, browserId, stopping),
    async pause(busy) {
      if (deps.time.isDoubtful()) return pauseInDoubt;
      const next = await noticePushes.nextDue(deps.database, busy);
      if (!next?.dueAt) return longestSleep;
      return Math.min(longestSleep, Math.max(0, Date.parse(next.dueAt) - deps.clock.now().getTime()));
    },
    failure: "sending to browsers failed",
  });

/** Sends due notices of a browser in order. If a notice must wait, the later notices wait, too. */
async function serve(deps: PushDeps, browserId: string, stopping: AbortSignal): Promise<void> {
  const { clock, database } = deps;
  const now = clock.now();
  const until = new Date(now.getTime() + holdMilliseconds).toISOString();
  const claim = { now: now.toISOString(), until, most: atOnce };
  const due = await database.write((tx) => noticePushes.claimDue(tx, browserId, claim));
  let later: Date | undefined;
  for (const push of due) {
    later ??= await deliver(deps, { browserId, push, stopping });
    const at = later?.toISOString();
    if (at !== undefined) await database.write((tx) => noticePushes.postpone(tx, push, at));
  }
}

interface Sending {
  readonly browserId: string;
  readonly push: DuePush;
  readonly stopping: AbortSignal;
}

/** Sends a notice if it is still needed, and stores the outcome. Returns the time of the next attempt. */
async function deliver(deps: PushDeps, { browserId, push, stopping }: Sending): Promise<Date | undefined> {
  const { clock, database } = deps;
  const browser = await noticeBrowsers.address(database, browserId, clock.now().toISOString());
  const shown = browser && (await shownNow(deps, push));
  if (shown instanceof Date) return shown;
  const isNeeded = browser !== undefined && shown !== undefined;
  const paused = isNeeded ? pauseOf(browser, clock.now()) : undefined;
  if (paused !== undefined) return paused;
  if (isNeeded && stopping.aborted) return giveBack(deps, push);
  const outcome = isNeeded ? await send(deps, { browser, push, shown, stopping }) : undefined;
  if (isNeeded && outcome === undefined) return giveBack(deps, push);
  if (outcome?.kind === "again" || outcome?.kind === "given up") {
    const until = outcome.at.toISOString();
    await database.write((tx) => noticeBrowsers.pause(tx, browserId, until));
  }
  if (outcome?.kind === "again") return outcome.at;
  await database.write(async (tx) => {
    if (outcome?.kind === "gone") await noticeBrowsers.remove(tx, browserId);
    if (outcome?.kind === "sent") await noticeBrowsers.noteSent(tx, browserId, clock.now().toISOString());
    await noticePushes.remove(tx, push.id);
  });
  return undefined;
}

/**
 * Returns the time until which a push service accepts no notices for a browser; undefined if it accepts notices now.
 * (rule N11)
 */
function pauseOf({ pausedUntil }: BrowserAddress, now: Date): Date | undefined {
  const until = new Date(pausedUntil ?? 0);
  // A stored time that is more than a day ahead is ignored, because it comes from a wrong clock.
  const isTrue = until.getTime() <= now.getTime() + keptMilliseconds;
  return until > now && isTrue ? until : undefined;
}

async function giveBack({ clock, database }: PushDeps, push: DuePush): Promise<undefined> {
  await database.write((tx) => noticePushes.release(tx, push, clock.now().toISOString()));
}

/**
 * Returns the notice, or the end of the quiet hours; undefined if the notice is no longer needed or allowed.
 * (rules N2, N4, N5)
 */
async function shownNow(deps: PushDeps, push: DuePush): Promise<ShownNotice | Date | undefined> {
  const { clock, database, sealer, settings } = deps;
  const { userId, appId, kind, subjectId, feedbackId, count } = push;
  const member = await noticeChoices.member(database, { userId, appId });
  const appName = await noticeFacts.appName(database, appId);
  if (member === undefined || appName === undefined) return undefined;
  const now = clock.now();
  const end = afterQuiet(now, { timezone: member.timezone, quiet: quietHoursOf(member) });
  if (end > now) return end;
  // The tag is a hash without readable data, because push services can read it in the header `Topic`.
  const tag = sealer.mark(`notice of ${appId}: ${kind} ${subjectId}`).slice(0, 32);
  if (kind === null || subjectId === null)
    return noticeOfSeveral(appName, { count, url: `${settings.consoleUrl}/feedback/${appId}`, tag });
  if (!stillWants(member.role, choicesOf(member.choices), kind, "browser")) return undefined;
  const known = await knownOf(deps, database, { appId, userId }, { kind, subjectId, feedbackId });
  return known && noticeAbout(appName, { kind, count, ...known }, tag);
}

interface Shown {
  readonly browser: BrowserAddress;
  readonly push: DuePush;
  readonly shown: ShownNotice;
  readonly stopping: AbortSignal;
}

/** Sends a notice once. Returns undefined if the server stops before there is an answer. */
async function send(deps: PushDeps, sending: Shown): Promise<Outcome | undefined> {
  const { browser, push, stopping } = sending;
  const { tries } = push;
  const { status, retryAfter, reason } = await post(deps, sending).then(
    (answer) => ({ ...answer, reason: undefined }),
    (error: Error) => ({ status: null, retryAfter: undefined, reason: error.message }),
  );
  if (status === null && stopping.aborted) return undefined;
  const createdAt = new Date(push.createdAt);
  const outcome = outcomeOf({ status, retryAfter, tries, createdAt, now: deps.clock.now() });
  if (outcome.kind !== "sent" && outcome.kind !== "gone")
    deps.log.warn({ browser: browser.id, tries, status, reason }, "a notice to a browser was not delivered");
  return outcome;
}

async function post(deps: PushDeps, { browser, push, shown, stopping }: Shown) {
  const { clock, sealer, settings } = deps;
  const url = openAddress(sealer, browser.endpointSealed);
  const keys = { p256dh: browser.p256dh, auth: openAddress(sealer, browser.authSealed) };
  return postSafely({
    url,
    receiver: "push service",
    body: encryptedFor(keys, JSON.stringify(shown)),
    headers: {
      "Content-Type": "application/octet-stream",
      "Content-Encoding": "aes128gcm",
      Authorization: await authorizationFor(deps, await keysOfServer(deps), url),
      TTL: String(secondsToLive(new Date(push.createdAt), clock.now())),
      Urgency: urgencyOf(push.kind),
      Topic: shown.tag,
    },
    reach: reachOf(settings),
    timeLimitMs,
    signal: stopping,
  });
}

type QueueDeps = Pick<Deps, "newId" | "settings">;

/**
 * Puts a member's waiting notices about an app into the queues of browsers. In quiet hours, postpones the
 * notices. (rules N10, N11)
 */
export async function queuePushes(deps: QueueDeps, tx: Transaction, batch: Batch, now: Date): Promise<void> {
  const rows = await notices.take(tx, batch);
  if (rows.length === 0) return;
  const at = now.toISOString();
  const member = await noticeChoices.member(tx, batch);
  // The member may have left the app, got another role, or turned off this kind of notice. (rules N1, N2)
  const choices = choicesOf(member?.choices ?? null);
  const allowed = rows.filter(({ kind }) => member && stillWants(member.role, choices, kind, "browser"));
  const end = member && afterQuiet(now, { timezone: member.timezone, quiet: quietHoursOf(member) });
  if (allowed.length > 0 && end !== undefined && end > now)
    return notices.postpone(tx, rows, end.toISOString());
  const pushes = await pushesOf(deps, tx, batch, allowed);
  for (const { id: browserId } of await noticeBrowsers.list(tx, batch.userId, at))
    for (const push of pushes)
      await noticePushes.insert(tx, { ...push, id: deps.newId(), browserId, createdAt: at });
  await notices.queued(tx, rows, at, null);
}

/**
 * Returns one notice for each object. For more than `mostAtOnce` objects, returns one notice with the number.
 */
async function pushesOf(
  deps: QueueDeps,
  tx: Transaction,
  { userId, appId }: Batch,
  rows: Awaited<ReturnType<typeof notices.take>>,
) {
  const { items, more } = await itemsOf(deps, tx, { appId, userId }, { rows, most: mostAtOnce + 1 });
  if (items.length + more <= mostAtOnce)
    return items.map(({ kind, subjectId, feedbackId, count }) => ({
      ...{ userId, appId, kind, subjectId, feedbackId, count },
    }));
  const count = items.length + more;
  return [{ userId, appId, kind: null, subjectId: null, feedbackId: null, count }];
}

const curve = "prime256v1";

/**
 * The maximum number of bytes of an encrypted notice (one record). Every push service accepts this size.
 * (RFC 8030, 7.2)
 */
const recordBytes = 4_096;

/** The keys of a browser's subscription, in base64url. */
interface SubscriptionKeys {
  readonly p256dh: string;
  readonly auth: string;
}

/** The random parts of an encryption. A test passes the values of the example in RFC 8291. */
interface Randomness {
  readonly salt: Buffer;
  readonly own: ECDH;
}

/** Whether a text is the public key of a browser: a point of the curve P-256, in base64url. */
export function isPublicKey(p256dh: string): boolean {
  try {
    return ECDH.convertKey(p256dh, curve, "base64url").length === 65;
  } catch {
    return false;
  }
}

/** Encrypts a text for one browser, so that its push service cannot read it (RFC 8291, aes128gcm). */
export function encryptedFor(
  { p256dh, auth }: SubscriptionKeys,
  text: string,
  { salt, own }: Randomness = freshRandomness(),
): Buffer {
  const theirs = Buffer.from(p256dh, "base64url");
  const ours = own.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), theirs, ours]);
  const shared = hkdfSync("sha256", own.computeSecret(theirs), Buffer.from(auth, "base64url"), info, 32);
  const derived = (name: string, length: number) =>
    Buffer.from(hkdfSync("sha256", Buffer.from(shared), salt, `Content-Encoding: ${name}\0`, length));
  const cipher = createCipheriv("aes-128-gcm", derived("aes128gcm", 16), derived("nonce", 12));
  // The byte 2 ends the text of the last record.
  const sealed = [cipher.update(Buffer.concat([Buffer.from(text), Buffer.from([2])])), cipher.final()];
  const header = Buffer.alloc(5);
  header.writeUInt32BE(recordBytes, 0);
  header.writeUInt8(ours.length, 4);
  return Buffer.concat([salt, header, ours, ...sealed, cipher.getAuthTag()]);
}

function freshRandomness(): Randomness {
  const own = createECDH(curve);
  own.generateKeys();
  return { salt: randomBytes(16), own };
}

/** How long a token is valid for a push service. At most a day is allowed. (RFC 8292, 2) */
const tokenSeconds = 12 * 3_600;

/** The number of bytes of an uncompressed point. The DER form of a public key ends with these bytes. */
const pointBytes = 65;

/** The contact in a token if the address of the server is not an https address. */
const homepage = "https://github.com/innkeep/innkeep";

/**
 * Returns the keys of this server (VAPID), and creates them at the first use. All servers get the same keys.
 * (rule N11)
 */
export async function keysOfServer({
  clock,
  database,
  sealer,
}: Pick<Deps, "clock" | "database" | "sealer">): Promise<PushKeysRow> {
  const found = await pushKeys.find(database);
  if (found !== undefined) return found;
  const made = newKeys();
  return database.write(async (tx) => {
    await tx.lock("push keys");
    const { publicKey, privateKey } = made;
    const createdAt = clock.now().toISOString();
    await pushKeys.insert(tx, { publicKey, privateSealed: sealAddress(sealer, privateKey), createdAt });
    const stored = await pushKeys.find(tx);
    if (stored === undefined) throw new Error("The keys for push services were not stored.");
    return stored;
  });
}

function newKeys() {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return {
    publicKey: publicKey.export({ type: "spki", format: "der" }).subarray(-pointBytes).toString("base64url"),
    privateKey: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
  };
}

/** Returns the header with which this server proves its identity to a push service. (RFC 8292) */
async function authorizationFor(
  { clock, sealer, settings }: Pick<Deps, "clock" | "sealer" | "settings">,
  { publicKey, privateSealed }: PushKeysRow,
  endpoint: string,
): Promise<string> {
  const token = await new SignJWT()
    .setProtectedHeader({ typ: "JWT", alg: "ES256" })
    .setAudience(new URL(endpoint).origin)
    .setSubject(contactOf(settings))
    .setExpirationTime(Math.floor(clock.now().getTime() / 1_000) + tokenSeconds)
    .sign(createPrivateKey(openAddress(sealer, privateSealed)));
  return `vapid t=${token}, k=${publicKey}`;
}

/** Returns the contact for push services. They accept only an https address or a mail address. */
const contactOf = ({ consoleUrl }: Pick<Deps["settings"], "consoleUrl">): string =>
  consoleUrl.startsWith("https:") ? consoleUrl : homepage;
