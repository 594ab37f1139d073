import { Console } from "node:console";
import { type Readable, Transform, Writable } from "node:stream";
import type { Io, StdioOptions } from "./options.ts";
import { type AnswerOf, preparedAnswers } from "./prepared-answers.ts";
import type { EarlyInput, Session } from "./session.ts";

/** Serves one client over standard input and output. Returns the exit code at a disconnect or abort. */
export function serveStdio(options: StdioOptions): Promise<number> {
  const { io, signal } = options;
  const output = reserveOutput(io);
  const out = output.protocol;
  // This error is ignored, because an error of standard output also calls `end`, which stops the server.
  out.on("error", () => undefined);
  const warn = (message: string): void => {
    io.stderr.write(`innkeep mcp: ${message}\n`);
  };
  const lines = io.stdin.pipe(lineLimit(out));
  const answerOf = options.prepared === false ? () => undefined : preparedAnswers(options);

  return new Promise((resolve, reject) => {
    let session: Session | undefined;
    let ended = false;
    const end = async (): Promise<void> => {
      if (ended) return;
      ended = true;
      await session?.close().catch(() => undefined);
      output.release();
      resolve(0);
    };
    for (const event of ["end", "close"] as const) io.stdin.once(event, end);
    io.stdout.once("error", end);
    signal?.addEventListener("abort", end, { once: true });
    if (signal?.aborted || io.stdin.readableEnded || io.stdin.destroyed) void end();
    const start = async (): Promise<void> => {
      const earlyInput = await answerFirstMessages(lines, answerOf, (answer) => out.write(answer));
      const { serveSession } = await import("./session.ts");
      if (!ended) session = serveSession(options, { earlyInput, lines, out, warn });
    };
    start().catch(reject);
  });
}

/** Standard output, reserved for the protocol. */
interface ReservedOutput {
  /** The stream for protocol messages. */
  readonly protocol: Writable;
  /** Restores standard output. */
  release(): void;
}

/**
 * Reserves standard output for the protocol. All other output, including the global console, goes to standard
 * error.
 */
function reserveOutput({ stdout, stderr }: Pick<Io, "stdout" | "stderr">): ReservedOutput {
  const write = stdout.write.bind(stdout);
  const before = { write: stdout.write, console: globalThis.console };
  const protocol = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, (error) => done(error)),
  });
  // The number of listeners has no maximum, because each answer that waits for a slow reader adds one listener.
  protocol.setMaxListeners(0);
  stdout.write = stderr.write.bind(stderr);
  globalThis.console = new Console(stderr, stderr);
  stdout.on("error", (error) => protocol.destroy(error));

  return {
    protocol,
    release() {
      stdout.write = before.write;
      globalThis.console = before.console;
    },
  };
}

/** How many messages are answered without the SDK. This is enough for the start of every client. */
const mostMessages = 32;

const mostBytes = 65_536;

/** Answers messages until a message needs the SDK or a limit is reached. Returns all input that was read. */
function answerFirstMessages(
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

/** The maximum size of a line. A line of 10 MB would make the SDK end the process. */
const mostBytesOfLine = 8 * 1_048_576;

/** Forwards lines. Answers a line that is too long or not JSON with an error on `out`. (rule L16) */
export function lineLimit(out: Writable, limit = mostBytesOfLine): Transform {
  let pieces: Buffer[] = [];
  let length = 0;
  let refused: LineEnds | undefined;

  const refuse = (ends: LineEnds): void => {
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
    const line = Buffer.concat(pieces);
    pieces = [];
    length = 0;
    if (isJsonOrBlank(line)) push(line);
    else out.write(`${JSON.stringify(notJson)}\n`);
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

function isJsonOrBlank(line: Buffer): boolean {
  const text = line.toString("utf8");
  try {
    return text.trim() === "" || JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** The answer to a line that is not JSON. (JSON-RPC 2.0, section 5.1) */
const notJson = {
  ...{ jsonrpc: "2.0", id: null },
  error: { code: -32700, message: "The line is not valid JSON. Send one message of JSON-RPC on each line." },
};

/** The first and the last bytes of a line that is too long. */
interface LineEnds {
  readonly first: Buffer;
  last: Buffer;
}

const endBytes = 1_024;

const id = /"id"\s*:\s*(\d{1,15}|"[\w-]{1,100}")/.source;

/** Finds the id before the parameters of a message, because parameters can contain other ids. */
const idAtStart = new RegExp(`^\\s*\\{(?:\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"]*"\\s*,)*\\s*${id}`);

const idAtEnd = new RegExp(`[,{]\\s*${id}(?:\\s*,\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"]*")*\\s*\\}\\s*$`);

/** Returns the error about a line that is too long. The id comes from `first` or `last`, or is null. */
function refusalOf({ first, last }: LineEnds, limit: number) {
  const [, id] = idAtStart.exec(first.toString("utf8")) ?? idAtEnd.exec(last.toString("utf8")) ?? [];
  const message = `The message is larger than ${limit} bytes. Send less.`;
  return { jsonrpc: "2.0", id: id === undefined ? null : JSON.parse(id), error: { code: -32600, message } };
}
