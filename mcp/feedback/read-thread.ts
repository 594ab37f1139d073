import { retryAfterWait } from "../api/retry-after-wait.ts";
import type { Deps } from "../deps.ts";
import { partsOf, type ThreadParts } from "./thread-parts.ts";

/** Reads a thread, and notes whose run its latest proposal is. */
export async function readThread(id: string, deps: Deps, signal: AbortSignal): Promise<ThreadParts> {
  const thread = await retryAfterWait(deps, signal, () =>
    deps.connection.call((client) => client.agent.readThread({ params: { id }, signal })),
  );
  const parts = withLink(partsOf(thread), deps);
  if (parts.latestProposal) deps.threadOfRun.set(parts.latestProposal.id, parts.id);
  return parts;
}

/** The link to the console that was configured, where one was. */
const withLink = (thread: ThreadParts, { consoleUrl }: Deps): ThreadParts =>
  consoleUrl ? { ...thread, consoleUrl: `${consoleUrl}/feedback/${thread.app.id}/${thread.id}` } : thread;
