import { createHash } from "node:crypto";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { blockedSenders } from "../../feedback/blocked-senders/store.ts";
import { mails } from "../outgoing/store.ts";
import { readReplyToken } from "../reply-tokens.ts";
import { mayAnswer } from "../sender/add-answer.ts";
import { reports } from "../sender/store.ts";
import { boundsOf, type IncomingMail, readMail } from "./read.ts";
import {
  addMailedAnswer,
  createStoreMail,
  insertOriginal,
  type MailedAnswer,
  type StoreMail,
} from "./save.ts";
import { type MailAttempt, mailOriginals } from "./store.ts";

type TakeDeps = Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "log" | "sealer" | "settings">;

/** How often a mail is begun. What ends the server each time is given up, so that later mails are read. (rule M12) */
const mostAttempts = 2;
/** So long another server may be at work on a mail. */
const attemptMilliseconds = 60_000;
/** How many mails of programs are kept for each report in an hour. (rule M13) */
const mostSetApart = 20;
const hour = 3_600_000;

/** A mail in the mailbox that names a token. */
export interface FoundMail {
  readonly token: string;
  /** Notes in a transaction of its own that the mail is begun. Returns undefined if another server has taken it. */
  readonly begin: () => Promise<MailAttempt | undefined>;
  readonly read: () => Promise<Buffer | undefined>;
  /** Notes in the same transaction that the mail was taken. Returns false if another server has taken it. */
  readonly claim: (tx: Transaction) => Promise<boolean>;
}

/** Takes mails that arrive: answers become messages of their threads, bounces change the state of a mail. (rules M12 to M14) */
export function createTakeMail(deps: TakeDeps) {
  const takeApart = createTakeApart(deps);
  return async ({
    token,
    begin,
    read,
    claim,
  }: FoundMail): Promise<"taken" | "left" | "of others" | "later"> => {
    const mailId = readReplyToken(deps.sealer, token);
    // Strangers can write any token. Nothing of their mail is fetched.
    if (mailId === undefined) return "of others";
    const attempt = await begin();
    if (attempt === undefined) return "taken";
    if (attempt.attempts > mostAttempts) {
      if (isRecent(deps, attempt)) return "later";
      deps.log.error(
        { mail: mailId, attempts: mostAttempts },
        "an answer by mail is given up: it was not read",
      );
      return leave(deps, claim);
    }
    const source = await read();
    return source === undefined ? leave(deps, claim) : takeApart({ mailId, source, claim });
  };
}

const isRecent = ({ clock }: TakeDeps, { lastAt }: MailAttempt): boolean =>
  lastAt !== null && Math.abs(clock.now().getTime() - Date.parse(lastAt)) < attemptMilliseconds;

function createTakeApart(deps: TakeDeps) {
  const storeMail = createStoreMail(deps);
  const bounds = boundsOf(deps.settings.budgets);
  return async ({
    mailId,
    source,
    claim,
  }: Pick<FoundMail, "claim"> & { readonly mailId: string; readonly source: Buffer }): Promise<
    "taken" | "left"
  > => {
    const mail = await readMail(source, bounds);
    if (mail === undefined) {
      deps.log.warn({ mail: mailId, bytes: source.length }, "an answer by mail cannot be read");
      return leave(deps, claim);
    }
    if (mail.kind === "report") {
      await takeReport(deps, claim, mailId, mail.failed);
      return "taken";
    }
    const sent = await mails.findReply(deps.database, mailId);
    const report = sent?.reportId ? await reports.find(deps.database, sent.reportId) : undefined;
    if (!sent || !report) return leave(deps, claim);
    const answer = { mail, id: idOf(mailId, mail), report, recipient: sent.recipient, source };
    if (mail.kind === "automatic") return setApart(deps, claim, { ...answer, storeMail });
    if (!(await mayAnswer(deps, deps.database, report))) return leave(deps, claim);
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
    return "taken";
  };
}

/** Goes on behind a mail that is no answer, and leaves it as it is. */
async function leave({ database }: TakeDeps, claim: FoundMail["claim"]): Promise<"left"> {
  await database.write(async (tx) => void (await claim(tx)));
  return "left";
}

/** Keeps a mail that a program seems to have written, so that a person can say that a person wrote it. It stays unread. (rule M13) */
async function setApart(
  deps: TakeDeps,
  claim: FoundMail["claim"],
  {
    storeMail,
    source,
    ...answer
  }: MailedAnswer & { readonly source: Uint8Array; readonly storeMail: StoreMail },
): Promise<"left"> {
  const { id, report, mail } = answer;
  // Before its bytes are written: programs can send very many.
  if (await isKeptOrTooMany(deps, deps.database, answer)) return leave(deps, claim);
  await storeMail(
    { ...answer, attachments: [] },
    {
      source,
      write: (work) => deps.database.write(work),
      work: async (tx, { original }) => {
        await tx.lock(report.feedbackId);
        if (!(await claim(tx)) || original === undefined || (await isKeptOrTooMany(deps, tx, answer))) return;
        const createdAt = deps.clock.now().toISOString();
        await insertOriginal(tx, original, { ...answer, setApart: mail.mark ?? null, createdAt });
        deps.log.info({ thread: report.feedbackId, mail: id }, "a mail of a program was set apart");
      },
    },
  );
  return "left";
}

async function isKeptOrTooMany(
  { clock }: TakeDeps,
  reader: Reader,
  { id, report, mail }: MailedAnswer,
): Promise<boolean> {
  const { id: reportId, feedbackId, appId } = report;
  if ((await mailOriginals.exists(reader, id)) || (await reports.hasMessage(reader, id))) return true;
  if (await blockedSenders.blocking(reader, appId, [report.senderEmail, mail.from])) return true;
  const since = new Date(clock.now().getTime() - hour).toISOString();
  return (await mailOriginals.countSetApart(reader, { feedbackId, reportId }, since)) >= mostSetApart;
}

async function takeReport(
  { clock, database }: TakeDeps,
  claim: FoundMail["claim"],
  mailId: string,
  failed: boolean,
): Promise<void> {
  await database.write(async (tx) => {
    if ((await claim(tx)) && failed) await mails.bounce(tx, mailId, clock.now().toISOString());
  });
}

/** Two copies of one mail have the same id. */
const idOf = (mailId: string, { messageId, text }: IncomingMail): string =>
  createHash("sha256")
    .update(JSON.stringify([mailId, messageId || text]))
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
