import type { ReceivedFile } from "../../../src/contract/received-file.ts";
import type { Files, TemporaryFile } from "../../files/files.ts";
import { UploadFailure } from "./upload-failure.ts";

/** A request body that has arrived completely, its files on disk. */
export interface Upload {
  /** The body. Each file in it is a ReceivedFile. */
  readonly value: unknown;
  readonly files: readonly ReceivedFile[];
  /** Deletes the temporary files that were not kept. Must be called after every request. */
  discard(): Promise<void>;
}

/** The files of one body while it arrives. */
export interface Intake {
  /**
   * Opens a file that may have `limit` bytes. Throws `too_many_files` if the body has more files than any body may have.
   */
  open(limit: number): TemporaryFile;
  /** Adds a file that has arrived. Its hash may still be in progress. */
  add(file: Promise<ReceivedFile>): Promise<ReceivedFile>;
}

const mostFiles = 32;

/** Throws `too_many_files` if the body has the largest allowed number of files already. */
export function refuseMore(had: number): void {
  if (had === mostFiles)
    throw new UploadFailure("too_many_files", `The body must have at most ${mostFiles} files.`);
}

/** Runs `read`. If it throws, none of the files that it opened stays open or on disk. */
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
      // Readers that await the file get the error. Without this line a refused body would leave it unhandled.
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
