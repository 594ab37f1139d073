import { lastingTransport, shortTransport } from "../../../src/client/transport/transport.ts";

/** How requests are carried: by a command, and by a program that stays. */
export const transports = [
  ["node:http", shortTransport],
  ["undici", lastingTransport],
] as const;
