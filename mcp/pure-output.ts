import { Console } from "node:console";
import { Writable } from "node:stream";
import type { Io } from "./options.ts";

/** Standard output while the protocol has it to itself. */
export interface PureOutput {
  /** Where protocol messages go. */
  readonly protocol: Writable;
  /** Gives standard output back. */
  release(): void;
}

/** Sends to standard error what anybody but the protocol writes to standard output, the global console included. */
export function keepPure({ stdout, stderr }: Pick<Io, "stdout" | "stderr">): PureOutput {
  const write = stdout.write.bind(stdout);
  const before = { write: stdout.write, console: globalThis.console };
  const protocol = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, (error) => done(error)),
  });
  // One listener for each answer that waits for a slow reader.
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
