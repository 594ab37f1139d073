import { Transform, type Writable } from "node:stream";

/** The SDK ends the process at 10 MB. */
const mostBytes = 8 * 1_048_576;

/** Passes lines on. A line that is too long is dropped and answered with an error on `out`. */
export function lineLimit(out: Writable, limit = mostBytes): Transform {
  let pieces: Buffer[] = [];
  let length = 0;
  let start: Buffer | undefined;

  const refuse = (): void => {
    out.write(`${JSON.stringify(refusalOf(start, limit))}\n`);
    start = undefined;
  };
  const take = (piece: Buffer): void => {
    if (start) return;
    pieces.push(piece);
    length += piece.length;
    if (length <= limit) return;
    start = Buffer.concat(pieces).subarray(0, 1_024);
    pieces = [];
    length = 0;
  };
  const endLine = (push: (line: Buffer) => void): void => {
    if (start) refuse();
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

/** The error answer, with the id of the request if the beginning of the line holds it. */
function refusalOf(start: Buffer | undefined, limit: number) {
  const [, id] = /"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")/.exec(start?.toString("utf8") ?? "") ?? [];
  const message = `The message is larger than ${limit} bytes. Send less.`;
  return { jsonrpc: "2.0", id: id === undefined ? null : JSON.parse(id), error: { code: -32600, message } };
}
