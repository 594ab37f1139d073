import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { type ReceivedFile, receivedFile } from "../../../src/contract/files.ts";
import { limits } from "../../../src/contract/limits.ts";
import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import { mailType, uploads } from "../../files/uploads-store.ts";
import { openAddress, sealAddress } from "../../secrets/addresses.ts";
import { randomName, type Sealer } from "../../secrets/secrets.ts";
import { withoutSenderLinks } from "../sender/links.ts";
import type { ReportRow } from "../sender/store.ts";
import type { IncomingMail } from "./read.ts";
import { originalKeptMilliseconds } from "./rules.ts";
import { mailOriginals } from "./store.ts";

const excerptLength = 300;

/** A mail that answers a mail of ours. */
export interface MailedAnswer {
  readonly mail: IncomingMail;
  /** The id that its message gets. */
  readonly id: string;
  readonly report: ReportRow;
  /** The address to which our mail went. */
  readonly recipient: string;
}

/** The sealed bytes of a mail, as a file that a transaction can keep. */
export interface OriginalFile {
  readonly received: ReceivedFile;
  readonly keySealed: string;
}

/** Mails from then or before are not kept any more. */
export const oldestOriginal = (now: Date): string =>
  new Date(now.getTime() - originalKeptMilliseconds).toISOString();

/** When a mail is deleted that came at that time. */
export const originalUntil = ({ createdAt }: { readonly createdAt: string }): string =>
  new Date(Date.parse(createdAt) + originalKeptMilliseconds).toISOString();

/** A text that every database can hold. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\0", "");

export async function originalFile(
  { files, sealer }: Pick<Deps, "files" | "sealer">,
  source: Uint8Array,
): Promise<OriginalFile> {
  const { bytes, keySealed } = sealOriginal(sealer, source);
  const temporary = files.createTemporary(bytes.length);
  temporary.write(bytes);
  const written = await temporary.finish();
  return { received: receivedFile({ ...written, declaredType: null, name: null, fault: null }), keySealed };
}

/** Adds the row of an original and that of its file. */
export async function insertOriginal(
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

const beginningOf = (text: string): string =>
  [...withoutSenderLinks(storable(text))].slice(0, excerptLength).join("");

const algorithm = "aes-256-gcm";

const [nonceBytes, tagBytes] = [12, 16];

/** So that the bytes are those of no other kind of file. */
const mark = Buffer.from("innkeep sealed mail\n");

/** A mail as it came, sealed: links in it may let people in. */
interface SealedOriginal {
  readonly bytes: Buffer;
  /** The key of the bytes, sealed with the secret of the deployment: a new secret seals the key again, not the bytes. */
  readonly keySealed: string;
}

function sealOriginal(sealer: Pick<Sealer, "seal">, source: Uint8Array): SealedOriginal {
  const [key, nonce] = [randomBytes(32), randomBytes(nonceBytes)];
  const cipher = createCipheriv(algorithm, key, nonce);
  const body = cipher.update(source);
  const end = cipher.final();
  return {
    bytes: Buffer.concat([mark, nonce, cipher.getAuthTag(), body, end]),
    keySealed: sealAddress(sealer, key.toString("base64")),
  };
}

/** Throws if the bytes were changed, or the key was sealed with another secret. */
export function openOriginal(
  sealer: Pick<Sealer, "open">,
  { bytes, keySealed }: { readonly bytes: Uint8Array; readonly keySealed: string },
): Buffer {
  const key = Buffer.from(openAddress(sealer, keySealed), "base64");
  const sealed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).subarray(mark.length);
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}
