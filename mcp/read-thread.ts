import type { Deps } from "./deps.ts";
import { retryAfterWait } from "./retry-after-wait.ts";
import { partsOf, type ThreadParts } from "./thread.ts";

export type ReadThreadDeps = Pick<Deps, "clock" | "connection" | "consoleUrl" | "threadOfRun">;

/** Reads a thread and notes the id of its latest proposal. */
export async function readThread(
  id: string,
  deps: ReadThreadDeps,
  signal: AbortSignal,
): Promise<ThreadParts> {
  const thread = await retryAfterWait(deps, signal, () =>
    deps.connection.call((client) => client.agent.readThread({ params: { id }, signal })),
  );
  const parts = withLink(partsOf(thread), deps);
  if (parts.latestProposal) deps.threadOfRun.set(parts.latestProposal.id, parts.id);
  return parts;
}

/** The link to the configured console, if there is one. */
const withLink = (thread: ThreadParts, { consoleUrl }: Pick<Deps, "consoleUrl">): ThreadParts =>
  consoleUrl ? { ...thread, consoleUrl: `${consoleUrl}/feedback/${thread.app.id}/${thread.id}` } : thread;
