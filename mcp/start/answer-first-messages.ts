import type { Readable } from "node:stream";

/** The part of a connection that was read before the SDK takes over. */
export interface EarlyInput {
  /** The messages that were answered without the SDK, unchanged. */
  readonly answered: Buffer;
  /** The number of answers to them. */
  readonly answers: number;
  /** The rest of what was read: the first message that needs the SDK, and perhaps more. */
  readonly rest: Buffer;
}

/** The answer to a line; `""` if it needs none; undefined if the SDK must read it. */
export type AnswerOf = (line: string) => string | undefined;

/** Enough for the start of every client. The SDK reads all these messages again. */
const mostMessages = 32;
const mostBytes = 65_536;

/** Answers the first messages. Ends at the first message that needs the SDK, and gives all that was read. */
export function answerFirstMessages(
  lines: Readable,
  answerOf: AnswerOf,
  send: (answer: string) => void,
): Promise<EarlyInput> {
  const answered: Buffer[] = [];
  let answers = 0;
  let rest: Buffer = Buffer.alloc(0);

  const answerLine = (): boolean => {
    const end = rest.indexOf(10);
    if (end < 0 || answered.length === mostMessages) return false;
    const answer = answerOf(rest.toString("utf8", 0, end));
    if (answer === undefined) return false;
    answered.push(rest.subarray(0, end + 1));
    rest = rest.subarray(end + 1);
    if (answer === "") return true;
    answers += 1;
    send(answer);
    return true;
  };

  return new Promise((resolve) => {
    const take = (chunk: Buffer): void => {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      while (answerLine());
      if (!rest.includes(10) && rest.length <= mostBytes) return;
      lines.off("data", take);
      lines.pause();
      resolve({ answered: Buffer.concat(answered), answers, rest });
    };
    lines.on("data", take);
  });
}
