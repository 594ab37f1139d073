import { open } from "node:fs/promises";
import { systemReason } from "../../src/words/system-reason.ts";
import type { Identity } from "../secrets/age.ts";
import { AgeFault } from "../secrets/age-fault.ts";
import { firstLine } from "../secrets/age-header.ts";
import { SettingError } from "../settings/setting-error.ts";
import type { ArchiveFile } from "./archive-file.ts";
import { decryptedFile } from "./decrypted-file.ts";

/** Opens a file, and decrypts it as it is read if it is encrypted. Throws an Error with a message for the operator. */
export async function openArchiveFile(
  path: string,
  identities: readonly Identity[] | undefined,
): Promise<ArchiveFile> {
  const file = await open(path).catch((cause) => {
    throw new SettingError(`${path} cannot be read (${systemReason(cause)}).`);
  });
  try {
    if ((await file.stat()).isDirectory()) throw new SettingError(`${path} is a folder, and no backup.`);
    if (!(await isEncrypted(file))) return file;
    if (!identities) throw new SettingError(`${path} is encrypted. ${nameKeys}`);
    return await decryptedFile(file, identities);
  } catch (error) {
    await file.close();
    if (!(error instanceof AgeFault)) throw error;
    if (error.kind === "other key")
      throw new SettingError(`${path} is encrypted for another key than those in the file of keys.`);
    throw new Error(`${path}: ${error.message}`);
  }
}

const nameKeys = "Name the file with its secret key with --identity, or in INNKEEP_BACKUP_IDENTITY_FILE.";

async function isEncrypted(file: ArchiveFile): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(firstLine.length), 0, firstLine.length, 0);
  return buffer.toString("latin1", 0, bytesRead) === firstLine;
}
