import type { McpOptions } from "../../options.ts";

const waitSeconds = { default: 50, most: 240 } as const;

/** The longest that one call waits for a decision, in seconds. */
export const longestWait = ({ maxWaitSeconds }: McpOptions): number =>
  Math.min(Math.max(1, maxWaitSeconds ?? waitSeconds.default), waitSeconds.most);
