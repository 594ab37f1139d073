import type { Transaction } from "../../database/database.ts";
import { mailTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import { longestSleep, pauseInDoubt, startDueWork, startJob } from "../../jobs/runner.ts";
import type { MailOut } from "../../settings/settings.ts";
import { type MailContent, openMail, sendsMail } from "./queue.ts";
import {
  longestServerPause,
  type MailQueue,
  mailQueues,
  nextMailAttempt,
  pauseInBetween,
  serverPause,
} from "./rules.ts";
import type { Mailer, Sending } from "./smtp.lazy.ts";
import { mails, type WaitingMail } from "./store.ts";

/** How many mails of a queue are sent at the same time. */
const atOnce: Readonly<Record<MailQueue, number>> = { personal: 5, bulk: 3 };

/** The time limit for sending one mail. */
const sendTimeoutMilliseconds = 180_000;

/** How long mails are reserved for this server. This is longer than sending a mail can take. */
const reservedMilliseconds = 300_000;

/** How long a stop of the server waits for mails that are being sent. */
const stopMilliseconds = 3_000;

interface MailWorker {
  /** Starts no more attempts. Resolves when no mail is being sent. */
  stop(): Promise<void>;
}

type WorkerDeps = Pick<Deps, "database" | "clock" | "time" | "settings" | "sealer" | "log">;

/** Starts to send the waiting mails of both queues. Starts nothing if this server sends no mail. (rules M4, M5, M6) */
export async function startMail(deps: WorkerDeps): Promise<MailWorker> {
  const { mailOut, dev } = deps.settings;
  if (!sendsMail(deps.settings)) {
    deps.log.info("INNKEEP_SMTP_URL is not set, so no mail is sent");
    return { stop: async () => {} };
  }
  if (mailOut === undefined || dev) return startQueue(deps, "personal", undefined);
  const { createMailer } = await import("./smtp.lazy.ts");
  const mailers = mailQueues.map((queue) => ({ queue, mailer: createMailer(mailOut, atOnce[queue]) }));
  const workers = mailers.map(({ queue, mailer }) => startQueue(deps, queue, mailer));
  for (const { mailer } of mailers.slice(0, 1)) logServerState(deps, mailOut, mailer);
  return { stop: async () => void (await Promise.all(workers.map((worker) => worker.stop()))) };
}

/** Logs whether the mail server can be used. The start of this server does not wait for the result. */
function logServerState({ log }: WorkerDeps, { host, port, from }: MailOut, mailer: Mailer): void {
  const server = { host, port, from: from.address };
  void mailer.fault().then((reason) => {
    if (reason === undefined) log.info(server, "mail is sent");
    else log.warn({ ...server, reason }, "the mail server cannot be used, so mails wait");
  });
}

/** The state of one queue. Only the development server has no mailer: it marks mails as sent without sending them. */
interface QueueState extends WorkerDeps {
  readonly queue: MailQueue;
  readonly mailer: Mailer | undefined;
  readonly stopping: AbortSignal;
  /** How often in succession the mail server could not be used. */
  failures: number;
  /** The time before which no mail is sent, in milliseconds since 1970. */
  blockedUntil: number;
}

function startQueue(deps: WorkerDeps, queue: MailQueue, mailer: Mailer | undefined): MailWorker {
  const stopping = new AbortController();
  const state: QueueState = {
    ...deps,
    queue,
    mailer,
    stopping: stopping.signal,
    failures: 0,
    blockedUntil: 0,
  };
  const stop = startDueWork(deps, {
    topic: mailTopic,
    doDue: () => sendDue(state),
    pause: () => pause(state),
    failure: "sending mail failed",
  });
  return {
    async stop() {
      const last = setTimeout(() => stopping.abort(), stopMilliseconds);
      await stop();
      clearTimeout(last);
      mailer?.close();
    },
  };
}

async function pause({ database, clock, time, queue, blockedUntil }: QueueState): Promise<number> {
  if (time.isDoubtful()) return pauseInDoubt;
  const next = await mails.nextDue(database, queue);
  if (!next) return longestSleep;
  const now = clock.now().getTime();
  return Math.min(longestSleep, Math.max(0, Date.parse(next.dueAt) - now, blockedUntil - now));
}

/** Sends due mails. Returns how many mails it has tried to send. */
async function sendDue(state: QueueState): Promise<number> {
  const { database, clock, queue, mailer } = state;
  const now = clock.now();
  // If the clock is wrong, a mail could be cancelled, or postponed for years.
  if (state.time.isDoubtful() || now.getTime() < state.blockedUntil) return 0;
  if (mailer === undefined) return database.write((tx) => mails.capture(tx, now.toISOString()));
  const claim = {
    now: now.toISOString(),
    until: new Date(now.getTime() + reservedMilliseconds).toISOString(),
    most: atOnce[queue],
  };
  const due = await database.write((tx) => mails.claimDue(tx, queue, claim));
  const tried = await Promise.all(due.map((mail) => deliver(state, mailer, mail)));
  await judgeFailures(state, mailer, tried);
  return due.length;
}

/** A mail with the result of an attempt to send it. */
interface Tried {
  readonly mail: WaitingMail;
  readonly sending: Sending;
}

/**
 * Stores the results of failed connections. Pauses the queue if no mail has the outcome `sent` or `later`.
 * (rule M5)
 */
async function judgeFailures(state: QueueState, mailer: Mailer, tried: readonly Tried[]): Promise<void> {
  const { clock, stopping } = state;
  const failed = tried.flatMap(({ mail, sending }) =>
    sending.outcome === "unusable" ? [{ mail, sending }] : [],
  );
  const [first] = failed;
  if (first === undefined) {
    if (tried.length > 0) state.failures = 0;
    return;
  }
  // The mail server may have disconnected only to refuse one recipient.
  const acceptsOthers = tried.some(({ sending: { outcome } }) => outcome === "sent" || outcome === "later");
  const isUsable = acceptsOthers || (!stopping.aborted && (await faultOf(mailer, stopping)) === undefined);
  if (isUsable) {
    for (const { mail, sending } of failed)
      await settle(state, { mail, sending: { ...sending, outcome: acceptsOthers ? "later" : "soon" } });
    state.failures = 0;
    if (!acceptsOthers) state.blockedUntil = clock.now().getTime() + pauseInBetween;
    return;
  }
  for (const each of failed) await settle(state, each);
  if (stopping.aborted) return;
  state.failures += 1;
  state.blockedUntil = clock.now().getTime() + serverPause(state.failures);
  const { reason } = first.sending;
  state.log.warn({ queue: state.queue, failures: state.failures, reason }, "the mail server cannot be used");
}

/** Returns why the mail server cannot be used; undefined if it can. Returns early if this server stops. */
async function faultOf(mailer: Mailer, stopping: AbortSignal): Promise<string | undefined> {
  const done = new AbortController();
  const stopped = new Promise<string>((resolve) => {
    stopping.addEventListener("abort", () => resolve("This server stops"), { signal: done.signal });
  });
  return Promise.race([mailer.fault(), stopped]).finally(() => done.abort());
}

/** Tries to send a mail. Stores the result, but not if the connection failed. */
async function deliver(state: QueueState, mailer: Mailer, mail: WaitingMail): Promise<Tried> {
  const sending = await attempt(state, mailer, mail);
  if (sending.outcome !== "unusable") await settle(state, { mail, sending });
  return { mail, sending };
}

/** Stores the result of an attempt. Logs a mail that was not sent, unless the mail server cannot be used. */
async function settle(
  state: QueueState,
  { mail, sending }: { readonly mail: WaitingMail; readonly sending: Settled },
): Promise<void> {
  const now = state.clock.now();
  await state.database.write((tx) => store(tx, mail, sending, now));
  if (sending.outcome !== "sent" && sending.outcome !== "unusable")
    state.log.warn({ mail: mail.id, attempts: mail.attempts, reason: sending.reason }, "mail not sent");
}

/** The result of an attempt. `soon` is like `later`, but with a pause of at most `longestServerPause`. */
type Settled = Sending | { readonly outcome: "soon"; readonly reason: string };

async function attempt(
  state: QueueState,
  mailer: Mailer,
  { content, sendBefore }: WaitingMail,
): Promise<Sending> {
  const isLate = new Date(sendBefore) <= state.clock.now();
  if (content === null || isLate) return { outcome: "refused", reason: late, noSuchAddress: false };
  const opened = openOrUndefined(state, content);
  if (opened === undefined)
    return {
      outcome: "refused",
      reason: "The encryption secret of this server was lost",
      noSuchAddress: false,
    };
  return mailer.send(opened, AbortSignal.any([state.stopping, AbortSignal.timeout(sendTimeoutMilliseconds)]));
}

function openOrUndefined(deps: WorkerDeps, content: string): MailContent | undefined {
  try {
    return openMail(deps, content);
  } catch {
    return undefined;
  }
}

const late = "It could not be sent in time";

async function store(tx: Transaction, mail: WaitingMail, sending: Settled, now: Date): Promise<void> {
  const at = now.toISOString();
  switch (sending.outcome) {
    case "sent":
      await mails.settle(tx, mail.id, { status: "sent", at, error: null });
      return;
    case "refused": {
      const status = sending.noSuchAddress ? "bounced" : "failed";
      await mails.settle(tx, mail.id, { status, at, error: sending.reason });
      return;
    }
    case "unusable":
      await mails.release(tx, mail.id, { dueAt: at, error: sending.reason });
      return;
    case "later":
    case "soon": {
      const longest = sending.outcome === "soon" ? longestServerPause : undefined;
      const next = nextMailAttempt(new Date(mail.sendBefore), mail.attempts, now, longest);
      if (next) await mails.postpone(tx, mail.id, { dueAt: next.toISOString(), error: sending.reason });
      else await mails.settle(tx, mail.id, { status: "failed", at, error: sending.reason });
    }
  }
}

const pauseMilliseconds = 30_000;

/**
 * Starts the job that queues mails about new release notes every 30 seconds. Returns the function that stops the job.
 */
export const startAnnouncing = (
  deps: Pick<Deps, "database" | "time" | "log">,
  queueMails: () => Promise<number>,
): (() => Promise<void>) =>
  startJob(deps, {
    async run() {
      // If the clock is wrong, mails could be sent before the note is published.
      if (!deps.time.isDoubtful()) await queueMails();
    },
    pause: () => pauseMilliseconds,
    firstAfter: pauseMilliseconds,
    failure: "queueing mails about releases failed",
    severity: "warn",
  });
