import type { Following, Topics } from "../../../src/programs.ts";
import { proposalTopic, threadsTopic, tokensTopic } from "../../database/transaction.ts";
import type { Deps } from "../../deps.ts";
import type { AgentCaller } from "../../http/handler.ts";
import { hashOf } from "../../secrets/secrets.ts";
import { proposalAnswer } from "../proposals/answer.ts";
import { proposals } from "../proposals/store.ts";
import { notAMark, threadChanges } from "./store/changes.ts";
import { findChanged } from "./store/work.ts";

/** The maximum time of one request. After this time, the client sends a new request with its current token. */
const mostMilliseconds = 3_600_000;

type FollowDeps = Pick<Deps, "database" | "settings" | "threadWatch" | "waiting">;

/** Reads the current state, and returns a function that reports changes to an agent while its token is valid. */
export type Follow = (callerNow: () => Promise<AgentCaller>, topics: Topics) => Promise<Following>;

/**
 * Returns a function that follows proposals and, with `queue`, threads. To miss no change, it reads the
 * current state first. (rule A60)
 */
export function createFollow(deps: FollowDeps): Follow {
  return async (callerNow, { runIds, queue }) => {
    const caller = await callerNow();
    const found = runIds.map(async (id) => [id, await stateOf(deps, id, caller)] as const);
    const states = (await Promise.all(found)).filter(([, state]) => state !== undefined);
    const mark = queue ? await threadChanges.present(deps.database) : undefined;
    return {
      topics: { runIds: states.map(([id]) => id), queue },
      async follow(tell, gone) {
        const over = new AbortController();
        const options = { callerNow, signal: AbortSignal.any([gone, over.signal]) };
        const runs = states.map(([id, state]) => followRun(deps, { ...options, id, state, tell }));
        const threads = mark === undefined ? [] : [followThreads(deps, { ...options, mark, tell })];
        try {
          await Promise.all([...runs, ...threads]);
        } finally {
          over.abort();
        }
      },
    };
  };
}

interface Listening {
  readonly callerNow: () => Promise<AgentCaller>;
  readonly signal: AbortSignal;
  readonly tell: (topic: string) => void;
}

function followRun(
  deps: FollowDeps,
  {
    id,
    state,
    callerNow,
    signal,
    tell,
  }: Listening & { readonly id: string; readonly state: string | undefined },
): Promise<void> {
  let known = state;
  const look = async () => {
    const seen = await stateOf(deps, id, await callerNow());
    if (seen !== known) tell(id);
    known = seen;
  };
  return deps.waiting.until([proposalTopic(id), threadsTopic, tokensTopic], look, untilEnd(signal));
}

function followThreads(
  deps: FollowDeps,
  { mark, callerNow, signal, tell }: Listening & { readonly mark: string },
): Promise<void> {
  const { database, threadWatch } = deps;
  let seen = mark;
  const look = async () => {
    const viewer = await callerNow();
    const after = await threadChanges.after(database, seen);
    if (after === notAMark) seen = await threadChanges.present(database);
    else seen = after.next(undefined);
    const changed = after === notAMark || (await hasChanged(deps, viewer, after.conditions));
    if (changed) tell("queue");
  };
  return deps.waiting.until([tokensTopic], look, { ...untilEnd(signal), listen: threadWatch.listen });
}

type Conditions = Parameters<typeof findChanged>[2]["conditions"];

async function hasChanged(
  { database }: FollowDeps,
  viewer: AgentCaller,
  conditions: Conditions,
): Promise<boolean> {
  const rows = await findChanged(database, { viewer, filters: {} }, { conditions, limit: 1 });
  return rows.length > 0;
}

const untilEnd = (signal: AbortSignal) => ({
  enough: () => false,
  milliseconds: mostMilliseconds,
  signal: () => signal,
});

/** Returns a hash of the proposal as the agent sees it. Does not mark the proposal as read. */
async function stateOf({ database, settings }: FollowDeps, id: string, viewer: AgentCaller) {
  const run = await proposals.find(database, id, viewer);
  return run && hashOf(JSON.stringify(proposalAnswer(settings, run)));
}
