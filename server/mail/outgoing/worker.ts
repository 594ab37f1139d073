import type { Transaction } from "../../database/database.ts";
import { mailTopic } from "../../database/signals.ts";
import type { Deps } from "../../deps.ts";
import { longestSleep, pauseInDoubt, startDueWork } from "../../jobs/due-work.ts";
import type { MailOut } from "../../settings/settings.ts";
import { type MailContent, openMail, sendsMail } from "./queue.ts";
import { type MailLane, mailLanes, nextMailAttempt, serverPause } from "./rules.ts";
import type { Mailer, Sending } from "./smtp.lazy.ts";
import { mails, type WaitingMail } from "./store.ts";

/** How many mails of a lane are sent at the same time. */
const atOnce: Readonly<Record<MailLane, number>> = { personal: 5, bulk: 3 };

/** How long a mail may take. */
const patienceMilliseconds = 180_000;

/** How long mails are reserved for this server. This is longer than any takes. */
const holdMilliseconds = 300_000;

/** How long mails that are being sent may take when the server stops. Then their connections are cut. */
const stopMilliseconds = 3_000;

interface MailWorker {
  /** Stops after the mails that are being sent have ended, or are given back. */
  stop(): Promise<void>;
}

type WorkerDeps = Pick<Deps, "database" | "clock" | "time" | "settings" | "sealer" | "log">;

/**
 * Sends the mails that wait, each lane apart from the other and from everything else. Does nothing on a server that sends no
 * mail. (rules M4, M5, M6)
 */
export async function startMail(deps: WorkerDeps): Promise<MailWorker> {
  const { mailOut, dev } = deps.settings;
  if (!sendsMail(deps.settings)) {
    deps.log.info("INNKEEP_SMTP_URL is not set: no mail is sent");
    return { stop: async () => {} };
  }
  if (mailOut === undefined || dev) return startLane(deps, "personal", undefined);
  const { createMailer } = await import("./smtp.lazy.ts");
  const mailers = mailLanes.map((lane) => ({ lane, mailer: createMailer(mailOut, atOnce[lane]) }));
  const lanes = mailers.map(({ lane, mailer }) => startLane(deps, lane, mailer));
  for (const { mailer } of mailers.slice(0, 1)) tellOfServer(deps, mailOut, mailer);
  return { stop: async () => void (await Promise.all(lanes.map((lane) => lane.stop()))) };
}

/** Says in the log whether the mail server can be used. The start does not wait for it. */
function tellOfServer({ log }: WorkerDeps, { host, port, from }: MailOut, mailer: Mailer): void {
  const server = { host, port, from: from.address };
  void mailer.fault().then((reason) => {
    if (reason === undefined) log.info(server, "mail is sent");
    else log.warn({ ...server, reason }, "the mail server cannot be used; mails wait");
  });
}

/** A lane at work. Without a mailer it catches the mails of all lanes. */
interface Lane extends WorkerDeps {
  readonly lane: MailLane;
  readonly mailer: Mailer | undefined;
  readonly stopping: AbortSignal;
  /** How often the mail server could not be used since it last could, and until when it is left alone. */
  failures: number;
  blockedUntil: number;
}

function startLane(deps: WorkerDeps, lane: MailLane, mailer: Mailer | undefined): MailWorker {
  const stopping = new AbortController();
  const state: Lane = { ...deps, lane, mailer, stopping: stopping.signal, failures: 0, blockedUntil: 0 };
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

async function pause({ database, clock, time, lane, blockedUntil }: Lane): Promise<number> {
  if (time.isDoubtful()) return pauseInDoubt;
  const next = await mails.nextDue(database, lane);
  if (!next) return longestSleep;
  const now = clock.now().getTime();
  return Math.min(longestSleep, Math.max(0, Date.parse(next.dueAt) - now, blockedUntil - now));
}

/** Sends mails that are due. Returns how many it has tried. */
async function sendDue(state: Lane): Promise<number> {
  const { database, clock, lane, mailer } = state;
  const now = clock.now();
  // With a wrong time a mail could be given up, or postponed for years.
  if (state.time.isDoubtful() || now.getTime() < state.blockedUntil) return 0;
  if (mailer === undefined) return database.write((tx) => mails.capture(tx, now.toISOString()));
  const claim = {
    lane,
    now: now.toISOString(),
    until: new Date(now.getTime() + holdMilliseconds).toISOString(),
    most: atOnce[lane],
  };
  const due = await database.write((tx) => mails.claimDue(tx, claim));
  const sendings = await Promise.all(due.map((mail) => deliver(state, mailer, mail)));
  noteServer(state, sendings);
  return due.length;
}

/** After a mail server could not be used, no mail is tried for a while. */
function noteServer(state: Lane, sendings: readonly Sending[]): void {
  const unusable = sendings.find((each) => each.outcome === "unusable");
  if (unusable === undefined || state.stopping.aborted) {
    if (sendings.length > 0) state.failures = 0;
    return;
  }
  state.failures += 1;
  state.blockedUntil = state.clock.now().getTime() + serverPause(state.failures);
  const { reason } = unusable;
  state.log.warn({ lane: state.lane, failures: state.failures, reason }, "the mail server cannot be used");
}

async function deliver(state: Lane, mailer: Mailer, mail: WaitingMail): Promise<Sending> {
  const sending = await attempt(state, mailer, mail);
  const now = state.clock.now();
  await state.database.write((tx) => store(tx, mail, sending, now));
  if (sending.outcome === "refused" || sending.outcome === "later")
    state.log.warn({ mail: mail.id, attempts: mail.attempts, reason: sending.reason }, "mail not sent");
  return sending;
}

async function attempt(state: Lane, mailer: Mailer, { content, sendBefore }: WaitingMail): Promise<Sending> {
  const isLate = new Date(sendBefore) <= state.clock.now();
  if (content === null || isLate) return { outcome: "refused", reason: late, noSuchAddress: false };
  const opened = opening(state, content);
  if (opened === undefined)
    return { outcome: "refused", reason: "The secret was lost", noSuchAddress: false };
  return mailer.send(opened, AbortSignal.any([state.stopping, AbortSignal.timeout(patienceMilliseconds)]));
}

function opening(deps: WorkerDeps, content: string): MailContent | undefined {
  try {
    return openMail(deps, content);
  } catch {
    return undefined;
  }
}

const late = "It could not be sent in time";

async function store(tx: Transaction, mail: WaitingMail, sending: Sending, now: Date): Promise<void> {
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
    case "later": {
      const next = nextMailAttempt(new Date(mail.sendBefore), mail.attempts, now);
      if (next) await mails.postpone(tx, mail.id, { dueAt: next.toISOString(), error: sending.reason });
      else await mails.settle(tx, mail.id, { status: "failed", at, error: sending.reason });
    }
  }
}

const pauseMilliseconds = 30_000;

/** Queues the mails about release notes that were published since, every half a minute. Returns the function that stops it. */
export function startAnnouncing(
  { time, log }: Pick<Deps, "time" | "log">,
  tell: () => Promise<number>,
): () => Promise<void> {
  let running = Promise.resolve();
  const run = async () => {
    try {
      // With a wrong time a note could be told before it is published.
      if (!time.isDoubtful()) await tell();
    } catch (error) {
      log.warn({ err: error }, "telling senders of a release failed");
    }
  };
  const timer = setInterval(() => {
    running = running.then(run);
  }, pauseMilliseconds);
  timer.unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
