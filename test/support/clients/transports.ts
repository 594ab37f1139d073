import { lastingTransport, shortTransport } from "../../../src/client/transport.ts";

/** The transports: of a command, and of a long-running program. */
export const transports = [
  ["node:http", shortTransport],
  ["undici", lastingTransport],
] as const;
