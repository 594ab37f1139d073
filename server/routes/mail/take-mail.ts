import { createHash } from "node:crypto";
import { limits } from "../../../src/contract/limits.ts";
import type { Deps } from "../../deps.ts";
import { boundsOf } from "../../mail/parse-mail.ts";
import { type IncomingMail, readMail } from "../../mail/read-mail.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { readReplyToken } from "../../secrets/reply-tokens.ts";
import type { Transaction } from "../../store/engine/database.ts";
import type { MailAttempt } from "../../store/mail/mailboxes.ts";
import { mails } from "../../store/mail/mails.ts";
import { type ReportRow, reports } from "../../store/mail/reports.ts";
import { uploads } from "../../store/requests/uploads.ts";
import { createAppStorage } from "../feedback/app-storage.ts";
import { filesJson } from "../feedback/feedback-report.ts";
import { addAnswer, mayAnswer } from "./add-answer.ts";
import { type MailFiles, mailFiles, noneKept } from "./mail-files.ts";

type Needed = Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "log" | "sealer" | "settings">;

/** How often a mail is begun. What ends the server each time is given up, so that later mails are read. (rule M12) */
const mostAttempts = 2;
/** So long another server may be at work on a mail. */
const attemptMilliseconds = 60_000;

/** A mail in the mailbox that names a token. */
export interface FoundMail {
  readonly token: string;
  /** Notes in a transaction of its own that the mail is begun. Gives undefined if another server has taken it. */
  readonly begin: () => Promise<MailAttempt | undefined>;
  readonly read: () => Promise<Buffer | undefined>;
  /** Notes in the same transaction that the mail was taken. Gives false if another server has taken it. */
  readonly claim: (tx: Transaction) => Promise<boolean>;
}

/** Takes mails that arrive: answers become messages of their threads, bounces change the state of a mail. (rules M12 to M14) */
export function createTakeMail(deps: Needed) {
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

const isRecent = ({ clock }: Needed, { lastAt }: MailAttempt): boolean =>
  lastAt !== null && Math.abs(clock.now().getTime() - Date.parse(lastAt)) < attemptMilliseconds;

interface Fetched extends Pick<FoundMail, "claim"> {
  readonly mailId: string;
  readonly source: Buffer;
}

function createTakeApart(deps: Needed) {
  const storage = createAppStorage(deps);
  const bounds = boundsOf(deps.settings.budgets);
  return async ({ mailId, source, claim }: Fetched): Promise<"taken" | "left"> => {
    const mail = await readMail(source, bounds);
    if (mail === undefined)
      deps.log.warn({ mail: mailId, bytes: source.length }, "an answer by mail cannot be read");
    if (mail === undefined || mail.kind === "automatic") return leave(deps, claim);
    if (mail.kind === "report") {
      await takeReport(deps, claim, { mailId, failed: mail.failed });
      return "taken";
    }
    const sent = await mails.findReply(deps.database, mailId);
    const report = sent?.reportId ? await reports.find(deps.database, sent.reportId) : undefined;
    if (!sent || !report || !(await mayAnswer(deps, deps.database, report))) return leave(deps, claim);
    const bytes = mail.attachments.reduce((sum, file) => sum + file.bytes.length, 0);
    await storage.withRoom(report.appId, bytes, async (hasRoom) => {
      const files = hasRoom ? await mailFiles(deps, mail.attachments) : noneKept(mail.attachments);
      const received = files.kept.map((file) => file.received);
      await deps.keptFiles.keepFor(received, () =>
        deps.database.write(async (tx) => {
          await deps.keptFiles.secure(tx, received);
          if (await claim(tx))
            await store(deps, tx, { mail, mailId, recipient: sent.recipient, report, files });
        }),
      );
    });
    return "taken";
  };
}

/** Goes on behind a mail that is no answer, and leaves it as it is. */
async function leave({ database }: Needed, claim: FoundMail["claim"]): Promise<"left"> {
  await database.write(async (tx) => void (await claim(tx)));
  return "left";
}

interface Report {
  readonly mailId: string;
  readonly failed: boolean;
}

async function takeReport(
  { clock, database }: Needed,
  claim: FoundMail["claim"],
  { mailId, failed }: Report,
): Promise<void> {
  await database.write(async (tx) => {
    if ((await claim(tx)) && failed) await mails.bounce(tx, mailId, clock.now().toISOString());
  });
}

interface Answer {
  readonly mail: IncomingMail;
  readonly mailId: string;
  readonly recipient: string;
  readonly report: ReportRow;
  readonly files: MailFiles;
}

async function store(deps: Needed, tx: Transaction, answer: Answer): Promise<void> {
  const { mail, mailId, recipient, report, files } = answer;
  const isForeign = mail.isForged || normaliseEmail(mail.from) !== recipient;
  const added = await addAnswer(deps, tx, {
    report,
    id: idOf(mailId, mail),
    body: bodyOf(mail, files.dropped),
    confirmed: isForeign ? undefined : recipient,
    foreignFrom: isForeign ? mail.from.slice(0, limits.email) : undefined,
    files: files.kept.length === 0 ? undefined : filesJson(files.kept),
  });
  if (!added) return;
  const createdAt = deps.clock.now().toISOString();
  const { appId, feedbackId } = report;
  for (const { upload } of files.kept) await uploads.insert(tx, { ...upload, appId, feedbackId, createdAt });
}

/** Two copies of one mail have the same id. */
const idOf = (mailId: string, { messageId, text }: IncomingMail): string =>
  createHash("sha256")
    .update(JSON.stringify([mailId, messageId || text]))
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");

function bodyOf({ text }: IncomingMail, dropped: readonly string[]): string {
  const note =
    dropped.length === 0 ? "" : `\n\n(Attachments that were not kept: ${dropped.join(", ").slice(0, 500)})`;
  const clean = (text.toWellFormed() + note).replaceAll("\0", "").trim() || "(A mail without text)";
  const points = [...clean];
  return points.length <= limits.message ? clean : `${points.slice(0, limits.message - 1).join("")}…`;
}
