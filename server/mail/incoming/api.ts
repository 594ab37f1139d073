import type { incomingMails as contract } from "../../../src/contract/correspondence.ts";
import { ApiError } from "../../../src/contract/errors.ts";
import { ownedApp } from "../../access/apps/store.ts";
import { createAuditWriter } from "../../access/audit/record.ts";
import type { Deps } from "../../deps.ts";
import { mailType } from "../../files/store.ts";
import type { ConsoleCaller, Handlers } from "../../http/handler.ts";
import { reports } from "../sender-page/store.ts";
import { addMailedAnswer, createStoreMail, oldestOriginal, openOriginal, originalUntil } from "./handle.ts";
import { boundsOf, type IncomingMail, readMail } from "./read.ts";
import { mailOriginals, type OriginalRow } from "./store.ts";

type IncomingDeps = Pick<
  Deps,
  "clock" | "database" | "files" | "keptFiles" | "newId" | "sealer" | "settings"
>;

const mostListed = 100;

/**
 * Returns the handlers for the stored originals of mails, and for the mails that programs wrote.
 * (rules M13, M16)
 */
export function incomingMails(deps: IncomingDeps): Handlers<typeof contract> {
  const { database, files } = deps;
  const record = createAuditWriter(deps);
  const storeMail = createStoreMail(deps);
  const readOriginal = createReadOriginal(deps);
  return {
    async listAutomatic({ caller, params: { appId } }) {
      await ownedApp(database, appId, caller);
      const wanted = { after: oldestOriginal(deps.clock.now()), most: mostListed };
      const rows = await mailOriginals.setApart(database, appId, wanted);
      return { items: rows.map((row) => ({ ...row, keptUntil: originalUntil(row) })) };
    },

    async take({ caller, address, params: { mailId: id }, save }) {
      const found = await ownedOriginal(deps, id, caller);
      if (found.setApart === null) throw alreadyTaken();
      const { appId, recipient } = found;
      const report = await reports.find(database, found.reportId);
      if (!report) throw new ApiError("not_found");
      const mail = await readOriginal(found);
      const answer = { mail, id, report, recipient };
      return storeMail(
        { ...answer, attachments: mail.attachments },
        {
          source: undefined,
          write: save,
          work: async (tx, parts) => {
            if (!(await mailOriginals.take(tx, id))) throw alreadyTaken();
            const added = await addMailedAnswer(deps, tx, { ...answer, ...parts });
            const threadId = (added ?? report).feedbackId;
            await record(tx, { caller, address }, { action: "mail.take", appId, target: threadId });
            return { threadId, messageId: id };
          },
        },
      );
    },

    async original({ caller, params: { mailId: id } }) {
      const found = await ownedOriginal(deps, id, caller);
      if ((await files.size(found.sha256)) === undefined) throw new ApiError("not_found");
      const bytes = await bytesOf(deps, found);
      return {
        isDownload: true,
        fileName: `mail-${found.createdAt.slice(0, 10)}.eml`,
        mediaType: mailType,
        bytes: bytes.length,
        chunks: chunksOf(bytes),
        end: async () => {},
      };
    },
  };
}

const alreadyTaken = (): ApiError =>
  new ApiError("wrong_state", { message: "This mail is already a message of its thread." });

async function ownedOriginal(deps: IncomingDeps, id: string, caller: ConsoleCaller): Promise<OriginalRow> {
  const found = await mailOriginals.findFor(deps.database, caller, id, oldestOriginal(deps.clock.now()));
  if (!found) throw new ApiError("not_found");
  return found;
}

async function bytesOf({ files, sealer }: IncomingDeps, { sha256, keySealed }: OriginalRow): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of await files.open(sha256)) chunks.push(chunk);
  return openOriginal(sealer, { bytes: Buffer.concat(chunks), keySealed });
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/**
 * Returns a function that reads stored mails, one at a time to save memory. Throws `wrong_state` for an
 * unreadable mail.
 */
function createReadOriginal(deps: IncomingDeps) {
  const bounds = boundsOf(deps.settings.budgets);
  let last: Promise<unknown> = Promise.resolve();
  return async (original: OriginalRow): Promise<IncomingMail> => {
    const reading = last.then(async () => readMail(await bytesOf(deps, original), bounds));
    last = reading.catch(() => undefined);
    const mail = await reading;
    if (!mail) throw new ApiError("wrong_state", { message: "This mail cannot be read." });
    return mail;
  };
}
