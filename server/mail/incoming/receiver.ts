import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { FilesUnavailable } from "../../files/files.ts";
import type { MailIn } from "../../settings/settings.ts";
import type { Mailbox, MailHead } from "./imap.lazy.ts";
import { replyTokensIn } from "./rules.ts";
import { type MailAttempt, mailboxes } from "./store.ts";

const firstPause = 2_000;
const longestPause = 600_000;
/** A connection that is being made cannot be cut: the stop of the server waits no longer for it. */
const stopMilliseconds = 2_000;
/** Longer than the pause of a healthy mailbox, so that its failures are no growing series. */
const healthyMilliseconds = 120_000;

/** A mail that names a token, to be taken once. */
interface Found {
  readonly token: string;
  /** Notes that the mail is begun. */
  readonly begin: () => Promise<MailAttempt | undefined>;
  /** Fetches it; undefined if it is gone. */
  readonly read: () => Promise<Buffer | undefined>;
  readonly claim: (tx: Transaction) => Promise<boolean>;
}

/**
 * Mail of others is left as it is. What is no answer stays unread, so that a person can find it. A mail that is taken later ends this
 * pass through the mailbox.
 */
type Taken = "taken" | "left" | "of others" | "later";

type Take = (found: Found) => Promise<Taken>;

export interface MailReceiver {
  stop(): Promise<void>;
}

type ReceiverDeps = Pick<Deps, "clock" | "database" | "log" | "settings">;

/**
 * Reads the mailbox to which senders answer, as mails come. Mails for others are left alone: they stay unread. Does nothing
 * without a mailbox. (rule M12)
 */
export function startMailReceiver(deps: ReceiverDeps, take: Take): MailReceiver {
  const { mailIn, dev } = deps.settings;
  if (mailIn === undefined || dev) return { stop: async () => {} };
  const stopping = new AbortController();
  const running = receive(deps, mailIn, { take, stopping: stopping.signal });
  return {
    async stop() {
      stopping.abort();
      await Promise.race([running, pause(stopMilliseconds, new AbortController().signal)]);
    },
  };
}

interface Work {
  readonly take: Take;
  readonly stopping: AbortSignal;
}

async function receive(deps: ReceiverDeps, mailIn: MailIn, work: Work): Promise<void> {
  for (let failures = 0; !work.stopping.aborted; ) {
    const started = performance.now();
    const reason = await readUntilGone(deps, mailIn, work).then(
      () => undefined,
      (error: Error & { code?: string }) => error.code ?? error.message,
    );
    if (work.stopping.aborted) return;
    failures = performance.now() - started > healthyMilliseconds ? 1 : failures + 1;
    deps.log.warn({ host: mailIn.host, failures, reason }, "the mailbox cannot be read");
    await pause(Math.min(longestPause, firstPause * 2 ** (failures - 1)), work.stopping);
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

async function readUntilGone(deps: ReceiverDeps, mailIn: MailIn, { take, stopping }: Work): Promise<void> {
  const { openMailbox } = await import("./imap.lazy.ts");
  const mailbox = await openMailbox(mailIn);
  const close = () => mailbox.close();
  stopping.addEventListener("abort", close);
  try {
    deps.log.info({ host: mailIn.host, folder: mailIn.folder }, "answers by mail are read");
    while (!stopping.aborted) {
      await readNew(deps, mailbox, nameOf(mailIn), take);
      await mailbox.news();
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
  take: Work["take"],
): Promise<void> {
  const { database } = deps;
  const { uidValidity } = mailbox;
  const row = await mailboxes.find(database, name);
  const last = row?.uidValidity === uidValidity ? Number(row.lastUid) : 0;
  /** Notes that everything up to a mail was read. False if another server has done that. */
  const claimUpTo = (lastUid: number) => async (tx: Transaction) => {
    if ((await mailboxes.lock(tx, name, uidValidity)) >= lastUid) return false;
    await mailboxes.advance(tx, name, { uidValidity, lastUid });
    return true;
  };
  for await (const heads of mailbox.heads(last)) {
    for (const head of heads) {
      const found = { ...findingOf(deps, mailbox, name, head.uid), claim: claimUpTo(head.uid) };
      if ((await takeOne(mailbox, head, { take, found })) === "later") return;
    }
    const end = heads.at(-1);
    if (end !== undefined) await database.write(async (tx) => void (await claimUpTo(end.uid)(tx)));
  }
}

/** The steps before a mail is taken apart. */
const findingOf = (
  { database, clock, settings }: ReceiverDeps,
  mailbox: Mailbox,
  name: string,
  uid: number,
): Pick<Taking["found"], "begin" | "read" | "release"> => ({
  begin: () => {
    const attempt = { uidValidity: mailbox.uidValidity, uid, at: clock.now().toISOString() };
    return database.write((tx) => mailboxes.begin(tx, name, attempt));
  },
  read: () => mailbox.read(uid, settings.budgets.mailBytes),
  release: () => database.write(async (tx) => void (await mailboxes.release(tx, name, uid))),
});

interface Taking {
  readonly take: Take;
  readonly found: Omit<Found, "token"> & {
    /** Takes back that the mail is begun. */
    readonly release: () => Promise<void>;
  };
}

async function takeOne(
  mailbox: Mailbox,
  { uid, receivers }: MailHead,
  { take, found: { release, ...found } }: Taking,
): Promise<Taken> {
  const read = () => orRelease(found.read(), { release, passes: () => true });
  for (const token of replyTokensIn(receivers)) {
    const taken = await orRelease(take({ ...found, read, token }), {
      release,
      passes: (error) => error instanceof FilesUnavailable,
    });
    if (taken === "of others") continue;
    if (taken === "taken") await mailbox.markRead(uid);
    return taken;
  }
  return "of others";
}

async function orRelease<Result>(
  work: Promise<Result>,
  {
    release,
    passes,
  }: {
    readonly release: () => Promise<void>;
    /** Whether the mail may be taken later: then this was no attempt. */
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
