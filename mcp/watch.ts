import { ServerError } from "../src/client/errors.ts";
import { longPoll } from "../src/client/wait.ts";
import { limits } from "../src/contract/limits.ts";
import type { Topics } from "../src/programs.ts";
import { readRun } from "./connection.ts";
import type { Deps } from "./deps.ts";
import { isNotFound } from "./failures.ts";

/** Follows topics at a server from afar. */
export interface Watch {
  /** Follows these topics instead of those before. Once it resolves, the client gets every later change. */
  follow(topics: Topics): Promise<void>;
}

export type WatchParts = Pick<Deps, "clock" | "connection">;

/** What was last read of a proposal. */
interface KnownRun {
  readonly threadId: string;
  readonly state: string;
}

interface Watching {
  readonly runs: Map<string, KnownRun>;
  queue: boolean;
  readonly tell: (topic: string) => void;
}

/** The pauses after answers with changes: threads that change all the time must not use up the reads of the token. */
const pauses = { firstMs: 1_000, growth: 2, mostMs: 15_000 };
/** The pause after a failure that does not pass by itself, until a person has given another token. */
const afterFailureMs = 60_000;
/** At a server that has no list of changes. */
const betweenReadsMs = 30_000;

/**
 * Holds one request for all topics, and none while nothing is followed. Calls `tell` after each change, with the id of the
 * proposal or with `queue`.
 */
export function createWatch(parts: WatchParts, tell: (topic: string) => void): Watch {
  const watching: Watching = { runs: new Map(), queue: false, tell };
  let session: { readonly stop: AbortController; readonly mark: Promise<string> } | undefined;

  const begin = () => {
    const stop = new AbortController();
    const mark = presentMark(parts, stop.signal);
    watchOn({ ...parts, signal: stop.signal }, watching, mark).catch(() => undefined);
    return { stop, mark };
  };

  return {
    async follow({ runIds, queue }) {
      watching.queue = queue;
      for (const id of watching.runs.keys()) if (!runIds.includes(id)) watching.runs.delete(id);
      if (!queue && runIds.length === 0) {
        session?.stop.abort();
        session = undefined;
        return;
      }
      session ??= begin();
      const { signal } = session.stop;
      await session.mark.catch(() => undefined);
      const added = runIds.filter((id) => !watching.runs.has(id));
      const read = added.map(async (id) => watching.runs.set(id, await look(parts, id, signal)));
      await Promise.all(read);
    },
  };
}

type Asking = WatchParts & { readonly signal: AbortSignal };

/** Never resolves. After a failure something may have been missed, so the client is asked to read every topic again. */
async function watchOn(asking: Asking, watching: Watching, first: Promise<string>): Promise<never> {
  for (let mark = first; ; ) {
    try {
      const began = await mark;
      await (began === noList ? watchRuns(asking, watching) : watchThreads(asking, watching, began));
    } catch {
      await asking.clock.sleep(afterFailureMs, asking.signal);
    }
    mark = presentMark(asking, asking.signal);
    await mark.then(
      () => tellAll(watching),
      () => undefined,
    );
  }
}

/** Stands for the present in a server that has no list of changes. */
const noList = "";

async function presentMark({ connection }: WatchParts, signal: AbortSignal): Promise<string> {
  try {
    const query = { limit: "1" };
    const { changes } = await connection.call((client) => client.agent.listFeedback({ query, signal }));
    return changes ?? noList;
  } catch (error) {
    if (error instanceof ServerError && [404, 405, 501].includes(error.status)) return noList;
    throw error;
  }
}

/** Reads each proposal in turn. */
async function watchRuns(asking: Asking, watching: Watching): Promise<never> {
  for (;;) {
    await asking.clock.sleep(betweenReadsMs, asking.signal);
    await tellChanged(asking, watching, () => true);
  }
}

async function watchThreads(asking: Asking, watching: Watching, mark: string): Promise<void> {
  let changedAfter = mark;
  const { clock, connection, signal } = asking;
  const ask = (holdSeconds: number) => {
    const query = { changedAfter, wait: String(holdSeconds), limit: String(limits.agentPage.max) };
    return connection.call((client) => client.agent.listFeedback({ query, signal }));
  };
  const holdSeconds = () => limits.waitSeconds;
  const leftMs = () => Number.POSITIVE_INFINITY;
  for await (const result of longPoll({ ask, holdSeconds, leftMs, pauses, clock, signal })) {
    if (!("value" in result)) continue;
    const { items, changes } = result.value;
    changedAfter = changes ?? changedAfter;
    if (items.length === 0) continue;
    if (watching.queue) watching.tell("queue");
    const threads = new Set(items.map(({ id }) => id));
    await tellChanged(asking, watching, ({ threadId }) => threads.has(threadId));
  }
}

function tellAll({ runs, queue, tell }: Watching): void {
  for (const id of runs.keys()) tell(id);
  if (queue) tell("queue");
}

async function tellChanged(
  asking: Asking,
  { runs, tell }: Watching,
  concerns: (run: KnownRun) => boolean,
): Promise<void> {
  for (const [id, known] of [...runs].filter(([, run]) => concerns(run))) {
    const seen = await look(asking, id, asking.signal);
    if (seen.state === known.state || !runs.has(id)) continue;
    runs.set(id, seen);
    tell(id);
  }
}

/** What there is of a proposal. It may be one that the token may not read, or that was deleted. */
async function look({ connection }: WatchParts, id: string, signal: AbortSignal): Promise<KnownRun> {
  try {
    const run = await readRun(connection, id, { holdSeconds: 0, signal });
    return { threadId: run.feedbackId, state: JSON.stringify(run) };
  } catch (error) {
    if (isNotFound(error)) return { threadId: "", state: "" };
    throw error;
  }
}
