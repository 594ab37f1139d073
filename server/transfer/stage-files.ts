import { createHash } from "node:crypto";
import { receivedFile } from "../../src/contract/received-file.ts";
import { refusedFile } from "./import-fault.ts";
import { type ArchivedFile, chunksOf, filesOf } from "./read-source.ts";
import type { Staging } from "./stage-lines.ts";
import { imports } from "./store.ts";

/**
 * Keeps the files of an archive whose records are stored already. Each is checked as a file of feedback is, by its bytes, and
 * loses what such a file loses. Throws `bad_request` for a file that no record names, that differs from its record or its
 * hash, or that is missing.
 */
export async function stageFiles(staging: Staging): Promise<number> {
  const { deps, source, appId, naming } = staging;
  const named = naming.withFiles ? await imports.countFiles(deps.database, appId) : 0;
  let files = 0;
  for await (const archived of filesOf(source)) {
    staging.signal.throwIfAborted();
    await keep(staging, archived);
    files++;
  }
  if (named !== files)
    throw refusedFile([`its records name ${named} files, and the archive has ${files} of them.`]);
  return files;
}

async function keep(staging: Staging, { sha256, bytes }: ArchivedFile): Promise<void> {
  const { deps, appId } = staging;
  const fail = (fault: string) => refusedFile([`the file ${sha256} ${fault}.`]);
  const [named, other] = await imports.uploadsOf(deps.database, appId, sha256);
  if (!named) throw fail("is named by no record");
  if (other || named.size !== bytes.size) throw fail("has another size or kind than a record says");
  const draft = deps.files.createTemporary(bytes.size);
  try {
    const hash = createHash("sha256");
    for await (const chunk of chunksOf(bytes)) {
      hash.update(chunk);
      draft.write(chunk);
    }
    if (hash.digest("hex") !== sha256) throw fail("is not what its name says");
    const written = await draft.finish();
    if (written.detectedType !== named.mediaType) throw fail(`has not the bytes of ${named.mediaType}`);
    const file = receivedFile({ ...written, declaredType: null, name: null, fault: null });
    await deps.keptFiles.keepFor([file], () =>
      deps.database.write(async (tx) => {
        await deps.keptFiles.secure(tx, [file]);
        if (file.sha256 !== sha256) await imports.rename(tx, { appId, sha256, into: file.sha256 });
        const now = deps.clock.now().toISOString();
        if (!(await imports.goesOn(tx, appId, now))) throw new Error("The import was given up.");
      }),
    );
  } finally {
    draft.drop();
  }
}
