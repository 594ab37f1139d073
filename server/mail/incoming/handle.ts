import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type ReceivedFile, receivedFile } from "../../../src/contract/files.ts";
import { feedbackFiles, limits } from "../../../src/contract/limits.ts";
import { withoutSenderLinks } from "../../../src/contract/report-texts.ts";
import { decodedText } from "../../../src/words/decoded-text.ts";
import { hasMoreLines, pdfOfText } from "../../../src/words/text-pdf.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { blockedSenders } from "../../feedback/blocked-senders/store.ts";
import { type FeedbackFile, filesJson } from "../../feedback/reports/report.ts";
import { createAppStorage, uploadOf } from "../../feedback/reports/uploads.ts";
import type { ThreadFiles } from "../../feedback/threads/answer.ts";
import { mailType, uploads } from "../../files/store.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { idOfTexts, openAddress, randomName, type Sealer, sealAddress } from "../../secrets/secrets.ts";
import { readReplyToken } from "../outgoing/queue.ts";
import { mails } from "../outgoing/store.ts";
import { addAnswer, mayAnswer } from "../sender-page/add-answer.ts";
import { type ReportRow, reports } from "../sender-page/store.ts";
import { boundsOf, type IncomingFile, type IncomingMail, readMail } from "./read.ts";
import { forwardedType, isMailSource, originalKeptMilliseconds } from "./rules.ts";
import { type MailAttempt, mailOriginals } from "./store.ts";

type HandleDeps = Pick<
  Deps,
  "clock" | "database" | "files" | "keptFiles" | "log" | "newId" | "sealer" | "settings"
>;

/** The maximum number of attempts to handle a mail. A bad mail must not block later mails. (rule M12) */
const mostAttempts = 2;

/** If an attempt began less than this time ago, another server may still be handling the mail. */
const attemptMilliseconds = 60_000;

/** The maximum number of mails from programs that are stored for one report in an hour. (rule M13) */
const mostSetApart = 20;

const hour = 3_600_000;

/** A mail in the mailbox. One of its receivers looks like a reply address of this server. */
export interface ArrivedMail {
  /** The token in the reply address. */
  readonly token: string;
  /**
   * Stores in its own transaction that an attempt begins. Returns undefined if another server has handled the
   * mail.
   */
  readonly begin: () => Promise<MailAttempt | undefined>;
  /** Fetches the mail. Returns undefined if the mail was deleted. */
  readonly read: () => Promise<Buffer | undefined>;
  /**
   * Stores in the given transaction that the mail was handled. Returns false if another server has already
   * handled the mail.
   */
  readonly claim: (tx: Transaction) => Promise<boolean>;
}

/**
 * `stored`: the mail can be marked read. `unread`: the mail stays unread for a person. `not ours`: the mail is
 * not for this server. `later`: this and newer mails wait.
 */
export type MailOutcome = "stored" | "unread" | "not ours" | "later";

/** Creates the function that handles a mail: an answer, or a mail that came back. (rules M12, M13, M14) */
export function createMailHandler(deps: HandleDeps) {
  const parseAndStore = createParseAndStore(deps);
  return async ({ token, begin, read, claim }: ArrivedMail): Promise<MailOutcome> => {
    const mailId = readReplyToken(deps.sealer, token);
    // A mail with a false token is not fetched, because a stranger can write any token.
    if (mailId === undefined) return "not ours";
    const attempt = await begin();
    // Another server has handled the mail with an unknown result, so this server does not mark it as read.
    if (attempt === undefined) return "unread";
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
 * Stores the original of a mail that a program wrote, but adds no message. A maintainer can add it later.
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
          "an automatic mail was not added to its thread",
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

/** Returns the id of the message that a mail becomes. A mail that arrives twice gets the same id. */
const idOf = (mailId: string, { messageId, text }: IncomingMail): string =>
  idOfTexts([mailId, messageId || text]);

/** The stored files of a mail: its attachments and its original. */
interface StoredParts {
  readonly files: MailFiles;
  /** Undefined if the original is already stored, exceeds the storage quota, or contains too many addresses. */
  readonly original: OriginalFile | undefined;
}

/**
 * Stores the attachments and the original within the storage quota. Calls `work` to add the rows. Returns
 * what `work` returns.
 */
type StoreMail = <Result>(
  answer: MailedAnswer & { readonly attachments: IncomingMail["attachments"] },
  storing: {
    /** The bytes of the mail; undefined if the original is already stored. */
    readonly source: Uint8Array | undefined;
    /** Runs a function in a transaction. */
    readonly write: (work: (tx: Transaction) => Promise<Result>) => Promise<Result>;
    readonly work: (tx: Transaction, parts: StoredParts) => Promise<Result>;
  },
) => Promise<Result>;

export function createStoreMail(
  deps: Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "sealer" | "settings">,
): StoreMail {
  const storage = createAppStorage(deps);
  return ({ mail, report: { appId }, attachments }, { source, write, work }) => {
    const bytes = attachments.reduce((sum, file) => sum + file.bytes.length, 0);
    return storage.withRoom(appId, bytes, async (hasRoom) => {
      const files = hasRoom ? await mailFiles(deps, attachments) : noneKept(attachments);
      const kept = source === undefined || mail.addresses === null ? new Uint8Array() : source;
      return storage.withRoom(appId, kept.length, async (hasMoreRoom) => {
        const original = hasMoreRoom && kept.length > 0 ? await originalFile(deps, kept) : undefined;
        const received = [...files.kept, ...(original ? [original] : [])].map((file) => file.received);
        return deps.keptFiles.keepFor(received, () =>
          write(async (tx) => {
            await deps.keptFiles.secure(tx, received);
            return work(tx, { files, original });
          }),
        );
      });
    });
  };
}

/** Adds a mailed answer to its thread. Returns the report; undefined if the thread already has the answer. */
export async function addMailedAnswer(
  deps: Pick<Deps, "clock" | "newId">,
  tx: Transaction,
  { mail, id, recipient, report: asked, files, original }: MailedAnswer & StoredParts,
): Promise<ReportRow | undefined> {
  const isForeign = mail.isForged || normaliseEmail(mail.from) !== recipient;
  const report = await addAnswer(deps, tx, {
    report: asked,
    id,
    body: bodyOf(mail, files.dropped),
    confirmed: isForeign ? undefined : recipient,
    foreignFrom: isForeign ? storable(mail.from).slice(0, limits.email) : undefined,
    files: files.kept.length === 0 ? undefined : filesJson(files.kept),
  });
  if (report === undefined) return undefined;
  const createdAt = deps.clock.now().toISOString();
  const { appId, feedbackId } = report;
  for (const { upload } of files.kept) await uploads.insert(tx, { ...upload, appId, feedbackId, createdAt });
  // The original is already stored if `setApart` handled the same mail before.
  if (original !== undefined && !(await mailOriginals.exists(tx, id)))
    await insertOriginal(tx, original, { mail, id, recipient, report, setApart: null, createdAt });
  return report;
}

function bodyOf({ text }: IncomingMail, dropped: readonly string[]): string {
  const note =
    dropped.length === 0 ? "" : `\n\n(Attachments that were not kept: ${dropped.join(", ").slice(0, 500)})`;
  const clean = storable(text + note).trim() || "(A mail without text)";
  const points = [...clean];
  return points.length <= limits.message ? clean : `${points.slice(0, limits.message - 1).join("")}…`;
}

const fields = ["images", "videos", "attachments"] as const;

const mostAttachments = 30;

const unnamed = "a file without a name";

interface MailFiles {
  readonly kept: readonly FeedbackFile[];
  /** The names of attachments that are not stored: wrong kind, too large, too many, or the app's storage is full. */
  readonly dropped: readonly string[];
}

/**
 * Stores attachments as temporary files. Converts few texts to PDF, because each conversion blocks the server.
 * (rule M14)
 */
async function mailFiles(
  { files }: Pick<Deps, "files">,
  attachments: readonly IncomingFile[],
): Promise<MailFiles> {
  const kept: FeedbackFile[] = [];
  const dropped: string[] = [];
  for (const { name } of attachments.slice(mostAttachments)) dropped.push(name || unnamed);
  const hasSpace = (name: keyof ThreadFiles) =>
    kept.filter(({ field }) => field === name).length < feedbackFiles[name].most;
  let texts = 0;
  for (const attachment of attachments.slice(0, mostAttachments)) {
    const stored = await fileOfKind(files, attachment);
    const takesText = !stored && texts < feedbackFiles.attachments.most && hasSpace("attachments");
    const text = takesText ? textFileOf(attachment) : undefined;
    if (text) texts += 1;
    const file = stored ?? (text && (await fileOfKind(files, text)));
    if (file && hasSpace(file.field)) kept.push(file);
    else dropped.push(attachment.name || unnamed);
    if (file && !kept.includes(file)) await files.dropTemporary([file.received.path]);
  }
  return { kept, dropped };
}

const noneKept = (attachments: readonly IncomingFile[]): MailFiles => ({
  kept: [],
  dropped: attachments.map(({ name }) => name || unnamed),
});

/** Writes an attachment to a temporary file. Returns undefined if its kind or size is not allowed. */
async function fileOfKind(
  files: Deps["files"],
  { name, bytes }: IncomingFile,
): Promise<FeedbackFile | undefined> {
  const temporary = files.createTemporary(bytes.length);
  temporary.write(bytes);
  const written = await temporary.finish();
  const field = fieldOf(written.detectedType, bytes.length);
  if (field === undefined || written.detectedType === null) {
    await files.dropTemporary([written.path]);
    return undefined;
  }
  const received = receivedFile({ ...written, declaredType: null, name, fault: null });
  return { field, received, upload: uploadOf(received, written.detectedType, name) };
}

function fieldOf(type: string | null, size: number): keyof ThreadFiles | undefined {
  return fields.find((field) => {
    const { types, bytes } = feedbackFiles[field];
    return types.some((each) => each === type) && size <= bytes;
  });
}

/** The maximum size of a text that is converted to a PDF. A larger text would block the server. */
const mostText = { bytes: 1_048_576, lines: 100_000 };

/**
 * Converts a text file to PDF. Returns undefined for other files, and for mails, which can hide secret links.
 * (rules M8, M14)
 */
function textFileOf({ name, bytes, mimeType }: IncomingFile): IncomingFile | undefined {
  const text = bytes.length > mostText.bytes ? undefined : decodedText(bytes);
  if (text === undefined || text.trim() === "" || hasMoreLines(text, mostText.lines)) return undefined;
  if (mimeType === forwardedType || isMailSource(text)) return undefined;
  const named = name || "text.txt";
  const shown = withoutSenderLinks(text);
  const content = pdfOfText({ name: named, bytes: Buffer.from(shown), text: shown });
  return { name: `${named}.pdf`, bytes: content };
}

/** A mail that answers a mail of this server. */
interface MailedAnswer {
  readonly mail: IncomingMail;
  /** The id that the mail's message will have. */
  readonly id: string;
  readonly report: ReportRow;
  /** The address to which the answered mail was sent. */
  readonly recipient: string;
}

/** The encrypted original of a mail, as a temporary file. */
interface OriginalFile {
  readonly received: ReceivedFile;
  readonly keySealed: string;
}

/** Returns a time in ISO 8601. Originals that were stored at this time or earlier are no longer shown. */
export const oldestOriginal = (now: Date): string =>
  new Date(now.getTime() - originalKeptMilliseconds).toISOString();

/** Returns when the original of a mail is deleted. */
export const originalUntil = ({ createdAt }: { readonly createdAt: string }): string =>
  new Date(Date.parse(createdAt) + originalKeptMilliseconds).toISOString();

/** Removes the characters that a database cannot store: NUL characters and lone surrogates. */
const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "");

async function originalFile(
  { files, sealer }: Pick<Deps, "files" | "sealer">,
  source: Uint8Array,
): Promise<OriginalFile> {
  const { bytes, keySealed } = sealOriginal(sealer, source);
  const temporary = files.createTemporary(bytes.length);
  temporary.write(bytes);
  const written = await temporary.finish();
  return { received: receivedFile({ ...written, declaredType: null, name: null, fault: null }), keySealed };
}

/** Adds the rows of an original and of its file. */
async function insertOriginal(
  tx: Transaction,
  { received, keySealed }: OriginalFile,
  {
    mail,
    id,
    recipient,
    report,
    setApart,
    createdAt,
  }: MailedAnswer & { readonly setApart: string | null; readonly createdAt: string },
): Promise<void> {
  const { appId, feedbackId, id: reportId } = report;
  const upload = randomName();
  const { sha256, size } = received;
  const file = { name: upload, sha256, size, mediaType: mailType, fileName: null };
  await uploads.insert(tx, { ...file, appId, feedbackId, createdAt });
  await mailOriginals.insert(tx, {
    ...{ id, appId, feedbackId, reportId, upload, keySealed, recipient, setApart, createdAt },
    sender: storable(mail.from).slice(0, limits.email),
    addresses: storable(mail.addresses ?? ""),
    subject: beginningOf(mail.subject),
    excerpt: beginningOf(mail.text),
  });
}

const excerptLength = 300;

const beginningOf = (text: string): string =>
  [...withoutSenderLinks(storable(text))].slice(0, excerptLength).join("");

const algorithm = "aes-256-gcm";

const [nonceBytes, tagBytes] = [12, 16];

/** The first bytes of an encrypted original. They prevent other programs from detecting a wrong file type. */
const fileHeader = Buffer.from("innkeep sealed mail\n");

/** The original of a mail, encrypted because links in it may be credentials. */
interface SealedOriginal {
  readonly bytes: Buffer;
  /**
   * The key that decrypts `bytes`, encrypted with the deployment's secret. If that secret changes, only this
   * key is encrypted again.
   */
  readonly keySealed: string;
}

function sealOriginal(sealer: Pick<Sealer, "seal">, source: Uint8Array): SealedOriginal {
  const [key, nonce] = [randomBytes(32), randomBytes(nonceBytes)];
  const cipher = createCipheriv(algorithm, key, nonce);
  const body = cipher.update(source);
  const end = cipher.final();
  return {
    bytes: Buffer.concat([fileHeader, nonce, cipher.getAuthTag(), body, end]),
    keySealed: sealAddress(sealer, key.toString("base64")),
  };
}

/** Decrypts an original. Throws if its bytes were changed, or its key was encrypted with another secret. */
export function openOriginal(
  sealer: Pick<Sealer, "open">,
  { bytes, keySealed }: { readonly bytes: Uint8Array; readonly keySealed: string },
): Buffer {
  const key = Buffer.from(openAddress(sealer, keySealed), "base64");
  const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(fileHeader.length);
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
