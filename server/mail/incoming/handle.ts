import { createHash } from "node:crypto";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { blockedSenders } from "../../feedback/blocked-senders/store.ts";
import { mayAnswer } from "../sender-page/add.ts";
import { mails } from "../outgoing/store.ts";
import { readReplyToken } from "../outgoing/reply-tokens.ts";
import { reports } from "../sender-page/store.ts";
import { boundsOf, type IncomingMail, readMail } from "./read.ts";
import {
  addMailedAnswer,
  createStoreMail,
  insertOriginal,
  type MailedAnswer,
  type StoreMail,
} from "./save.ts";
import { type MailAttempt, mailOriginals } from "./store.ts";

type HandleDeps = Pick<
  Deps,
  "clock" | "database" | "files" | "keptFiles" | "log" | "newId" | "sealer" | "settings"
>;

/**
 * If the server has crashed this number of times while it handled a mail, it skips that mail. So it can read later
 * mails. (rule M12)
 */
const mostAttempts = 2;
/** If an attempt is younger than this, another server may still be working on it. */
const attemptMilliseconds = 60_000;
/** The most mails from programs that are stored for one report in an hour. (rule M13) */
const mostSetApart = 20;
const hour = 3_600_000;

/** A mail in the mailbox that may be sent to a reply address of this server. */
export interface ArrivedMail {
  /** The token in the reply address. */
  readonly token: string;
  /**
   * Stores, in a separate transaction, that an attempt begins. Returns undefined if another server has already handled
   * the mail.
   */
  readonly begin: () => Promise<MailAttempt | undefined>;
  /** Fetches the mail. Returns undefined if the mail was deleted. */
  readonly read: () => Promise<Buffer | undefined>;
  /**
   * Stores, in the given transaction, that the mail was handled. Returns false if another server has already handled
   * it.
   */
  readonly claim: (tx: Transaction) => Promise<boolean>;
}

/**
 * The result for a mail. `unread`: the mail was not added to a thread, and stays unread so that a person can find it.
 * `not ours`: the mail is not for this server. `later`: the mail must be handled later, and all newer mails must wait
 * for it.
 */
export type MailOutcome = "stored" | "unread" | "not ours" | "later";

/**
 * Creates the function that handles a mail. An answer becomes a message. A bounce changes the state of the mail that
 * could not be delivered. (rules M12, M13, M14)
 */
export function createMailHandler(deps: HandleDeps) {
  const parseAndStore = createParseAndStore(deps);
  return async ({ token, begin, read, claim }: ArrivedMail): Promise<MailOutcome> => {
    const mailId = readReplyToken(deps.sealer, token);
    // A stranger can write any token. A mail with a wrong token is not fetched.
    if (mailId === undefined) return "not ours";
    const attempt = await begin();
    if (attempt === undefined) return "stored";
    if (attempt.attempts > mostAttempts) {
      if (isRecent(deps, attempt)) return "later";
      deps.log.error(
        { mail: mailId, attempts: mostAttempts },
        "an answer by mail is not read: all attempts failed",
      );
      return leaveUnread(deps, claim);
    }
    const source = await read();
    return source === undefined ? leaveUnread(deps, claim) : parseAndStore(mailId, source, claim);
  };
}

const isRecent = ({ clock }: HandleDeps, { lastAt }: MailAttempt): boolean =>
  lastAt !== null && Math.abs(clock.now().getTime() - Date.parse(lastAt)) < attemptMilliseconds;

function createParseAndStore(deps: HandleDeps) {
  const storeMail = createStoreMail(deps);
  const bounds = boundsOf(deps.settings.budgets);
  return async (mailId: string, source: Buffer, claim: ArrivedMail["claim"]): Promise<MailOutcome> => {
    const mail = await readMail(source, bounds);
    if (mail === undefined) {
      deps.log.warn({ mail: mailId, bytes: source.length }, "an answer by mail cannot be read");
      return leaveUnread(deps, claim);
    }
    if (mail.kind === "report") {
      await storeReport(deps, claim, mailId, mail.failed);
      return "stored";
    }
    const sent = await mails.findReply(deps.database, mailId);
    const report = sent?.reportId ? await reports.find(deps.database, sent.reportId) : undefined;
    if (!sent || !report) return leaveUnread(deps, claim);
    const answer = { mail, id: idOf(mailId, mail), report, recipient: sent.recipient, source };
    if (mail.kind === "automatic") return setApart(deps, claim, { ...answer, storeMail });
    if (!(await mayAnswer(deps, deps.database, report))) return leaveUnread(deps, claim);
    await storeMail(
      { ...answer, attachments: mail.attachments },
      {
        source,
        write: (work) => deps.database.write(work),
        work: async (tx, parts) => {
          if (await claim(tx)) await addMailedAnswer(deps, tx, { ...answer, ...parts });
        },
      },
    );
    return "stored";
  };
}

async function leaveUnread({ database }: HandleDeps, claim: ArrivedMail["claim"]): Promise<"unread"> {
  await database.write(async (tx) => void (await claim(tx)));
  return "unread";
}

/**
 * Stores a mail that a program wrote. A maintainer can later make it a message. The mail stays unread in the mailbox.
 * (rule M13)
 */
async function setApart(
  deps: HandleDeps,
  claim: ArrivedMail["claim"],
  {
    storeMail,
    source,
    ...answer
  }: MailedAnswer & { readonly source: Uint8Array; readonly storeMail: StoreMail },
): Promise<"unread"> {
  const { id, report, mail } = answer;
  // This check comes before the bytes are written, because programs can send very many mails.
  if (await isKeptOrTooMany(deps, deps.database, answer)) return leaveUnread(deps, claim);
  await storeMail(
    { ...answer, attachments: [] },
    {
      source,
      write: (work) => deps.database.write(work),
      work: async (tx, { original }) => {
        const current = await reports.locked(tx, report);
        if (!(await claim(tx)) || original === undefined || current === undefined) return;
        const kept = { ...answer, report: current };
        if (await isKeptOrTooMany(deps, tx, kept)) return;
        const createdAt = deps.clock.now().toISOString();
        await insertOriginal(tx, original, { ...kept, setApart: mail.automaticReason ?? null, createdAt });
        deps.log.info(
          { thread: current.feedbackId, mail: id },
          "a mail of a program was not added to its thread",
        );
      },
    },
  );
  return "unread";
}

async function isKeptOrTooMany(
  { clock }: HandleDeps,
  reader: Reader,
  { id, report, mail }: MailedAnswer,
): Promise<boolean> {
  const { id: reportId, feedbackId, appId } = report;
  if ((await mailOriginals.exists(reader, id)) || (await reports.hasMessage(reader, id))) return true;
  if (await blockedSenders.blocking(reader, appId, [report.senderEmail, mail.from])) return true;
  const since = new Date(clock.now().getTime() - hour).toISOString();
  return (await mailOriginals.countSetApart(reader, { feedbackId, reportId }, since)) >= mostSetApart;
}

async function storeReport(
  { clock, database }: HandleDeps,
  claim: ArrivedMail["claim"],
  mailId: string,
  failed: boolean,
): Promise<void> {
  await database.write(async (tx) => {
    if ((await claim(tx)) && failed) await mails.bounce(tx, mailId, clock.now().toISOString());
  });
}

/** Returns the id for the message of a mail. Two copies of one mail get the same id. */
const idOf = (mailId: string, { messageId, text }: IncomingMail): string =>
  createHash("sha256")
    .update(JSON.stringify([mailId, messageId || text]))
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
