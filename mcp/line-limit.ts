import { Transform, type Writable } from "node:stream";

/** The SDK ends the process at 10 MB. */
const mostBytes = 8 * 1_048_576;

/** Passes lines on. A line that is too long is dropped and answered with an error on `out`. */
export function lineLimit(out: Writable, limit = mostBytes): Transform {
  let pieces: Buffer[] = [];
  let length = 0;
  let refused: Ends | undefined;

  const refuse = (ends: Ends): void => {
    out.write(`${JSON.stringify(refusalOf(ends, limit))}\n`);
    refused = undefined;
  };
  const take = (piece: Buffer): void => {
    if (refused) {
      refused.last = Buffer.concat([refused.last, piece.subarray(-endBytes)]).subarray(-endBytes);
      return;
    }
    pieces.push(piece);
    length += piece.length;
    if (length <= limit) return;
    const whole = Buffer.concat(pieces);
    refused = {
      first: Buffer.from(whole.subarray(0, endBytes)),
      last: Buffer.from(whole.subarray(-endBytes)),
    };
    pieces = [];
    length = 0;
  };
  const endLine = (push: (line: Buffer) => void): void => {
    if (refused) refuse(refused);
    for (const piece of pieces) push(piece);
    pieces = [];
    length = 0;
  };

  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        take(chunk.subarray(from, end + 1));
        endLine((line) => this.push(line));
        from = end + 1;
      }
      if (from < chunk.length) take(chunk.subarray(from));
      done();
    },
  });
}

/** What is kept of a line that is too long. */
interface Ends {
  readonly first: Buffer;
  last: Buffer;
}

const endBytes = 1_024;

const id = /"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")/.source;
/** Before the parameters, which may hold another id, stand at most the version and the method. */
const idAtStart = new RegExp(`^\\s*\\{(?:\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"]*"\\s*,)*\\s*${id}`);
const idAtEnd = new RegExp(`[,{]\\s*${id}(?:\\s*,\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"]*")*\\s*\\}\\s*$`);

/** The error answer, with the id of the request if it stands at the beginning or the end of the line. */
function refusalOf({ first, last }: Ends, limit: number) {
  const [, id] = idAtStart.exec(first.toString("utf8")) ?? idAtEnd.exec(last.toString("utf8")) ?? [];
  const message = `The message is larger than ${limit} bytes. Send less.`;
  return { jsonrpc: "2.0", id: id === undefined ? null : JSON.parse(id), error: { code: -32600, message } };
}
