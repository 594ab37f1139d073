import type { Readable, Writable } from "node:stream";
import type { Exchange } from "../src/client/options.ts";
import type { ProxySettings } from "../src/client/transport/proxy.ts";
import type { Clock } from "../src/client/waiting/clock.ts";

/** The three streams of the process. Standard output carries protocol messages and nothing else. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** All that the MCP server is told. Addresses have no slash at the end. */
export interface McpOptions {
  /** Of the package, as clients show it. */
  readonly version: string;
  readonly baseUrl: string;
  /** Where people decide; only for links to show. Left out: as the server's answers say. */
  readonly consoleUrl?: string | undefined;
  /** A file that holds the agent token. Read at the first call, and again after the server refused the token. */
  readonly tokenFile?: string | undefined;
  /** Where no file is given. */
  readonly agentToken?: string | undefined;
  /**
   * The agent token from elsewhere, such as a keychain; asked for where neither of the two above is given, at the first
   * call and again after the server refused the token.
   */
  readonly storedToken?: (() => Promise<string | undefined>) | undefined;
  readonly proxy?: ProxySettings | undefined;
  /** Hears of every request to the server and its answer. Holds secrets. */
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
  /** The longest that one call may wait for a decision: 1 to 240; left out: 50. */
  readonly maxWaitSeconds?: number | undefined;
  /** Offers no tool that writes. */
  readonly readOnly?: boolean | undefined;
  /** Where proposals are remembered; left out: only as long as the process lives. */
  readonly stateDirectory?: string | undefined;
}

/** The MCP server as a process of its own. */
export interface StdioOptions extends McpOptions {
  readonly io: Io;
  /** Ends the server when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Left out: the system's. */
  readonly clock?: Clock | undefined;
  /** Whether the first messages are answered from text that the build made; left out: yes. The answers are the same. */
  readonly prepared?: boolean | undefined;
}
