const fullMessage = /ENOSPC|EDQUOT|EFBIG|disk is full|disk I\/O error/;

/** What could not be written, and what it needs room for: a sentence. */
export interface Writing {
  readonly place: string;
  readonly needs: string;
}

/** The error for the operator if a disk has no room for what a command writes. Gives other errors back. */
export function fullDisk(error: unknown, { place, needs }: Writing): unknown {
  if (!(error instanceof Error)) return error;
  const found = [error.message, messageOf(error.cause)].find((message) => fullMessage.test(message));
  if (found === undefined) return error;
  return new Error(`${place} cannot be written: ${found}. ${needs}`, { cause: error });
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : "");
