import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { temporaryFolder } from "../files/temporary-folder.ts";

/** A new key pair of age: the public key, and a file with the secret key. */
export async function newAgeKey() {
  const secretKey = await generateX25519Identity();
  const recipient = await identityToRecipient(secretKey);
  const identity = join(await temporaryFolder(), "key.txt");
  await writeFile(identity, `# public key: ${recipient}\n${secretKey}\n`);
  return { recipient, identity, secretKey };
}
