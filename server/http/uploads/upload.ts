import type { ReceivedFile } from "../../../src/contract/received-file.ts";
import type { Files, TemporaryFile } from "../../files/files.ts";
import { UploadFailure } from "./upload-failure.ts";

/** A request body that arrived whole, its files on disk. */
export interface Upload {
  /** The body, each file in it a ReceivedFile. */
  readonly value: unknown;
  readonly files: readonly ReceivedFile[];
  /** Deletes the temporary files that were not kept. Call it whatever became of the request. */
  discard(): Promise<void>;
}

/** The files of one body while it arrives. */
export interface Intake {
  /** Opens a file that may have `limit` bytes. More files than any body may have are `too_many_files`. */
  open(limit: number): TemporaryFile;
  /** Notes a file that has come, though its hash may still be under way. */
  add(file: Promise<ReceivedFile>): Promise<ReceivedFile>;
}

const mostFiles = 32;

/** Throws `too_many_files` where a body has had as many files as any may have, and another one comes. */
export function refuseMore(had: number): void {
  if (had === mostFiles)
    throw new UploadFailure("too_many_files", `The body must have at most ${mostFiles} files.`);
}

/** Runs `read`; whatever it throws, no file that it opened stays open or on disk. */
export async function receive(files: Files, read: (intake: Intake) => Promise<unknown>): Promise<Upload> {
  const opened: TemporaryFile[] = [];
  const received: Promise<ReceivedFile>[] = [];
  const intake: Intake = {
    open(limit) {
      refuseMore(opened.length);
      const file = files.createTemporary(limit);
      opened.push(file);
      return file;
    },
    add(file) {
      received.push(file);
      // Whoever awaits it learns of a failure; nobody does once the body is refused.
      file.catch(() => {});
      return file;
    },
  };
  try {
    const value = await read(intake);
    const discard = () => files.dropTemporary(opened.map(({ path }) => path));
    return { value, files: await Promise.all(received), discard };
  } catch (error) {
    for (const file of opened) file.drop();
    await Promise.allSettled(received);
    throw error;
  }
}
