import { limits } from "../../../src/contract/limits.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { filesJson } from "../../feedback/reports/report.ts";
import { createAppStorage } from "../../feedback/reports/uploads.ts";
import { uploads } from "../../files/uploads-store.ts";
import { normaliseEmail } from "../../secrets/passwords.ts";
import { addAnswer } from "../sender/add-answer.ts";
import { type MailFiles, mailFiles, noneKept } from "./mail-files.ts";
import { insertOriginal, type MailedAnswer, type OriginalFile, originalFile, storable } from "./original.ts";
import type { IncomingMail } from "./read-mail.ts";
import { mailOriginals } from "./store.ts";

type Needed = Pick<Deps, "clock" | "database" | "files" | "keptFiles" | "sealer" | "settings">;

/** How a mail is stored. */
export interface Storing<Result> {
  /** The bytes of the mail, to be kept; undefined if they are kept already. */
  readonly source: Uint8Array | undefined;
  /** Does work in a transaction. */
  readonly write: (work: (tx: Transaction) => Promise<Result>) => Promise<Result>;
  readonly work: (tx: Transaction, parts: StoredParts) => Promise<Result>;
}

/** The files of a mail that the transaction names. */
export interface StoredParts {
  readonly files: MailFiles;
  /** Undefined if it is kept already, there is no room for it, or it names too many people. */
  readonly original: OriginalFile | undefined;
}

/** Stores a mail that came: its attachments and its original as files, as far as the app has room, then what `work` adds. */
export type StoreMail = <Result>(
  answer: MailedAnswer & { readonly attachments: IncomingMail["attachments"] },
  storing: Storing<Result>,
) => Promise<Result>;

export function createStoreMail(deps: Needed): StoreMail {
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

/** Adds an answer that came by mail to its thread, with its files. */
export async function addMailedAnswer(
  deps: Pick<Deps, "clock">,
  tx: Transaction,
  { mail, id, recipient, report, files, original }: MailedAnswer & StoredParts,
): Promise<void> {
  const isForeign = mail.isForged || normaliseEmail(mail.from) !== recipient;
  const added = await addAnswer(deps, tx, {
    report,
    id,
    body: bodyOf(mail, files.dropped),
    confirmed: isForeign ? undefined : recipient,
    foreignFrom: isForeign ? storable(mail.from).slice(0, limits.email) : undefined,
    files: files.kept.length === 0 ? undefined : filesJson(files.kept),
  });
  if (!added) return;
  const createdAt = deps.clock.now().toISOString();
  const { appId, feedbackId } = report;
  for (const { upload } of files.kept) await uploads.insert(tx, { ...upload, appId, feedbackId, createdAt });
  // The same mail may have been set apart before, if the marks of its copy were other ones.
  if (original === undefined || (await mailOriginals.exists(tx, id))) return;
  await insertOriginal(tx, original, { mail, id, recipient, report, setApart: null, createdAt });
}

function bodyOf({ text }: IncomingMail, dropped: readonly string[]): string {
  const note =
    dropped.length === 0 ? "" : `\n\n(Attachments that were not kept: ${dropped.join(", ").slice(0, 500)})`;
  const clean = storable(text + note).trim() || "(A mail without text)";
  const points = [...clean];
  return points.length <= limits.message ? clean : `${points.slice(0, limits.message - 1).join("")}…`;
}
