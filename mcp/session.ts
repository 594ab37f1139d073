import { PassThrough, type Readable, type Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { assemble } from "./assemble.ts";
import type { McpOptions, StdioOptions } from "./options.ts";
import { createServer } from "./server.ts";
import type { Heard } from "./start/answer-first-messages.ts";

export interface Session {
  close(): Promise<void>;
}

/** What a session starts with. */
export interface SessionStart {
  readonly heard: Heard;
  /** The lines that come after those. */
  readonly lines: Readable;
  readonly out: Writable;
  readonly warn: (message: string) => void;
}

/**
 * Serves the rest of a connection. The protocol's library first reads the messages that were answered before it was loaded,
 * so that it knows what it would know otherwise. Its answers to them are dropped: the client has them.
 */
export function serveSession(
  options: McpOptions & Pick<StdioOptions, "clock">,
  { heard, lines, out, warn }: SessionStart,
): Session {
  const inbound = new PassThrough();
  const transport = new StdioServerTransport(inbound, out);
  const send = transport.send.bind(transport);
  let toDrop = heard.answers;
  const goOn = (): void => {
    inbound.write(heard.rest);
    lines.pipe(inbound);
  };
  transport.send = async (message) => {
    if (toDrop === 0) return send(message);
    toDrop -= 1;
    if (toDrop === 0) goOn();
  };
  const deps = assemble(options, warn, options.clock);
  const session = serveStdio(() => createServer(options, deps), {
    transport,
    onerror: () => warn("A message of the client could not be handled."),
  });
  inbound.write(heard.answered);
  if (toDrop === 0) goOn();
  return session;
}
