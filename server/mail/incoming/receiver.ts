import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { FilesUnavailable } from "../../files/files.ts";
import type { MailIn } from "../../settings/settings.ts";
import type { ArrivedMail, MailOutcome } from "./handle.ts";
import type { Mailbox, MailHead } from "./imap.lazy.ts";
import { replyTokensIn } from "./rules.ts";
import { mailboxes } from "./store.ts";

const firstPause = 2_000;
const longestPause = 600_000;
/** How long a stop of the server waits for the receiver. Opening a connection cannot be interrupted. */
const stopMilliseconds = 2_000;
/** If a connection lasted longer than this, the next pause between attempts is short again. */
const healthyMilliseconds = 120_000;

type HandleMail = (mail: ArrivedMail) => Promise<MailOutcome>;

export interface MailReceiver {
  stop(): Promise<void>;
}

type ReceiverDeps = Pick<Deps, "clock" | "database" | "log" | "settings">;

/** Starts to handle mails to the reply addresses of this server. Does nothing without a mailbox. (rule M12) */
export function startMailReceiver(deps: ReceiverDeps, handle: HandleMail): MailReceiver {
  const { mailIn, dev } = deps.settings;
  if (mailIn === undefined || dev) return { stop: async () => {} };
  const stopping = new AbortController();
  const running = receive(deps, mailIn, handle, stopping.signal);
  return {
    async stop() {
      stopping.abort();
      await Promise.race([running, pause(stopMilliseconds, new AbortController().signal)]);
    },
  };
}

async function receive(
  deps: ReceiverDeps,
  mailIn: MailIn,
  handle: HandleMail,
  stopping: AbortSignal,
): Promise<void> {
  for (let failures = 0; !stopping.aborted; ) {
    const started = performance.now();
    const reason = await readUntilLost(deps, mailIn, handle, stopping).then(
      () => undefined,
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
    if (stopping.aborted) return;
    failures = performance.now() - started > healthyMilliseconds ? 1 : failures + 1;
    deps.log.warn({ host: mailIn.host, failures, reason }, "the mailbox cannot be read");
    await pause(Math.min(longestPause, firstPause * 2 ** (failures - 1)), stopping);
  }
}

const pause = (milliseconds: number, stopping: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    stopping.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** Reads the mailbox until the connection is lost or the server stops. */
async function readUntilLost(
  deps: ReceiverDeps,
  mailIn: MailIn,
  handle: HandleMail,
  stopping: AbortSignal,
): Promise<void> {
  const { openMailbox } = await import("./imap.lazy.ts");
  const mailbox = await openMailbox(mailIn);
  const close = () => mailbox.close();
  stopping.addEventListener("abort", close);
  try {
    deps.log.info({ host: mailIn.host, folder: mailIn.folder }, "answers by mail are read");
    while (!stopping.aborted) {
      await readNew(deps, mailbox, nameOf(mailIn), handle);
      await mailbox.waitForMail();
    }
  } finally {
    stopping.removeEventListener("abort", close);
    mailbox.close();
  }
}

const nameOf = ({ host, port, user, folder }: MailIn): string => `${user}@${host}:${port}/${folder}`;

async function readNew(
  deps: ReceiverDeps,
  mailbox: Mailbox,
  name: string,
  handle: HandleMail,
): Promise<void> {
  const { database } = deps;
  const { uidValidity } = mailbox;
  const row = await mailboxes.find(database, name);
  const last = row?.uidValidity === uidValidity ? Number(row.lastUid) : 0;
  /**
   * The returned function stores that mails up to `lastUid` are handled. It returns false if this is already
   * stored.
   */
  const claimUpTo = (lastUid: number) => async (tx: Transaction) => {
    if ((await mailboxes.lock(tx, name, uidValidity)) >= lastUid) return false;
    await mailboxes.advance(tx, name, { uidValidity, lastUid });
    return true;
  };
  for await (const heads of mailbox.heads(last)) {
    for (const head of heads) {
      const mail = { ...stepsOf(deps, mailbox, name, head.uid), claim: claimUpTo(head.uid) };
      if ((await handleOne(mailbox, head, mail, handle)) === "later") return;
    }
    const end = heads.at(-1);
    if (end !== undefined) await database.write(async (tx) => void (await claimUpTo(end.uid)(tx)));
  }
}

/** Returns the functions that read a mail and count the attempts to handle it. */
const stepsOf = (
  { database, clock, settings }: ReceiverDeps,
  mailbox: Mailbox,
  name: string,
  uid: number,
): Pick<MailSteps, "begin" | "read" | "release"> => ({
  begin: () => {
    const attempt = { uidValidity: mailbox.uidValidity, uid, at: clock.now().toISOString() };
    return database.write((tx) => mailboxes.begin(tx, name, attempt));
  },
  read: () => mailbox.read(uid, settings.budgets.mailBytes),
  release: () => database.write(async (tx) => void (await mailboxes.release(tx, name, uid))),
});

interface MailSteps extends Omit<ArrivedMail, "token"> {
  /** Undoes `begin`, so that the attempt does not count. */
  readonly release: () => Promise<void>;
}

async function handleOne(
  mailbox: Mailbox,
  { uid, receivers }: MailHead,
  { release, ...mail }: MailSteps,
  handle: HandleMail,
): Promise<MailOutcome> {
  const read = () => orRelease(mail.read(), { release, passes: () => true });
  for (const token of replyTokensIn(receivers)) {
    const outcome = await orRelease(handle({ ...mail, read, token }), {
      release,
      passes: (error) => error instanceof FilesUnavailable,
    });
    if (outcome === "not ours") continue;
    if (outcome === "stored") await mailbox.markRead(uid);
    return outcome;
  }
  return "not ours";
}

async function orRelease<Result>(
  work: Promise<Result>,
  {
    release,
    passes,
  }: {
    readonly release: () => Promise<void>;
    /** Whether an error is temporary. If it is, the attempt does not count. */
    readonly passes: (error: unknown) => boolean;
  },
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (passes(error)) await release();
    throw error;
  }
}
