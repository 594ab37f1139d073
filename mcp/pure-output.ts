import { Console } from "node:console";
import { Writable } from "node:stream";
import type { Io } from "./options.ts";

/** Standard output, reserved for the protocol. */
export interface PureOutput {
  /** The stream for protocol messages. */
  readonly protocol: Writable;
  /** Gives standard output back. */
  release(): void;
}

/** Redirects all other writes to standard output to standard error, also those of the global console. */
export function keepPure({ stdout, stderr }: Pick<Io, "stdout" | "stderr">): PureOutput {
  const write = stdout.write.bind(stdout);
  const before = { write: stdout.write, console: globalThis.console };
  const protocol = new Writable({
    decodeStrings: false,
    write: (chunk, encoding, done) => void write(chunk, encoding, (error) => done(error)),
  });
  // Each answer that waits for a slow reader has a listener.
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
