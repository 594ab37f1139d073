import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { hashOfStream } from "../files/hash-of-stream.ts";
import type { Recipient } from "../secrets/age.ts";
import { encryptStream } from "../secrets/encrypted-stream.ts";

/** The name of a file until it is complete. */
export const draftOf = (file: string): string => `${file}.partial`;

/** Gives a complete draft its name, durably. */
export async function publishDraft(file: string): Promise<void> {
  await rename(draftOf(file), file);
  if (process.platform === "win32") return;
  const folder = await open(dirname(resolve(file)), "r");
  await folder.sync().finally(() => folder.close());
}

/**
 * Encrypts a file into the draft of another one, and reads the draft again. Throws an Error if it does not hold what was
 * written.
 */
export async function encryptInto(
  file: string,
  plain: string,
  recipients: readonly Recipient[],
): Promise<void> {
  const draft = draftOf(file);
  await rm(draft, { force: true });
  const handle = await open(draft, "wx", 0o600);
  const hash = createHash("sha256");
  try {
    for await (const chunk of encryptStream(createReadStream(plain), recipients)) {
      await handle.writeFile(chunk);
      hash.update(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  if ((await hashOfStream(createReadStream(draft))) === hash.digest("hex")) return;
  throw new Error(`${draft} does not hold what was written into it.`);
}
