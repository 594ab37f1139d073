import { readFile } from "node:fs/promises";
import { systemReason } from "../../src/words/system-reason.ts";
import { AgeFault, type Identity, type Recipient, readIdentities, readRecipients } from "../secrets/age.ts";
import { SettingError } from "../settings/setting-error.ts";

/** The public keys that the operator names, if any. Throws a SettingError. */
export const recipientsIn = (text: string | undefined): Recipient[] | undefined =>
  text ? read("INNKEEP_BACKUP_RECIPIENT (--recipient)", () => readRecipients(text)) : undefined;

/** The secret keys in a file, if one is named. Throws a SettingError that repeats none of them. */
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
