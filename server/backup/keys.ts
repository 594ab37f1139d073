import { readFile } from "node:fs/promises";
import { systemReason } from "../../src/words/system-reason.ts";
import { AgeFault, type Identity, type Recipient, readIdentities, readRecipients } from "../secrets/age.ts";
import { SettingError } from "../settings/setting-error.ts";

/** Returns the public keys in a text; undefined for an empty text. Throws a SettingError for a malformed key. */
export const recipientsIn = (text: string | undefined): Recipient[] | undefined =>
  text ? read("INNKEEP_BACKUP_RECIPIENT (--recipient)", () => readRecipients(text)) : undefined;

/**
 * Returns the secret keys in a file; undefined if no file is named. Throws a SettingError, whose message contains no
 * key.
 */
export async function identitiesIn(file: string | undefined): Promise<Identity[] | undefined> {
  if (!file) return undefined;
  const text = await readFile(file, "utf8").catch((cause) => {
    throw new SettingError(`The file of keys ${file} cannot be read (${systemReason(cause)}).`);
  });
  return read(file, () => readIdentities(text));
}

function read<Keys>(where: string, work: () => Keys): Keys {
  try {
    return work();
  } catch (error) {
    if (error instanceof AgeFault) throw new SettingError(`${where}: ${error.message}`);
    throw error;
  }
}
