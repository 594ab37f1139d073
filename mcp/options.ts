import type { Readable, Writable } from "node:stream";
import type { Clock } from "../src/client/wait.ts";
import type { McpRequest } from "../src/programs.ts";

/** The three streams of the process. Standard output contains only protocol messages. */
export interface Io {
  readonly stdin: Readable;
  readonly stdout: Writable;
  readonly stderr: Writable;
}

/** The options of the MCP server. */
export interface McpOptions extends McpRequest {
  /** The version of the package. Clients show it. */
  readonly version: string;
}

/** The options of the MCP server in a separate process. */
export interface StdioOptions extends McpOptions {
  readonly io: Io;
  /** A signal that ends the server when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** The default is the clock of the system. */
  readonly clock?: Clock | undefined;
  /**
   * Whether the first messages of a client get answers that the build prepared. These answers do not need the
   * SDK. The default is true.
   */
  readonly prepared?: boolean | undefined;
}

/** Whether the tools for the work on approved plans are offered. */
export const offersWork = ({ work, readOnly }: Pick<McpRequest, "work" | "readOnly">): boolean =>
  (work ?? false) && !readOnly;

const waitSeconds = { default: 50, most: 240 } as const;

/** How long one call may wait for a decision, in seconds. (rule L13) */
export const longestWait = ({ maxWaitSeconds }: Pick<McpRequest, "maxWaitSeconds">): number =>
  Math.min(Math.max(1, maxWaitSeconds ?? waitSeconds.default), waitSeconds.most);
