import { agent as contract } from "../../../../src/contract/agent.ts";
import type { Viewer } from "../../../access/members/visibility.ts";
import { accessTopic, proposalTopic, threadTopic, topicsOfAllThreads } from "../../../database/signals.ts";
import type { Deps } from "../../../deps.ts";
import { bytesOfBody, type PreparedAnswer, prepareAnswer } from "../../../http/answers.ts";
import type { AgentCaller } from "../../../http/handler.ts";
import { cachedLookup } from "../../../http/lookup-cache.ts";
import { type StoredProposal, storedProposals, threadAnswer } from "../../threads/answer.ts";
import { feedbackThreads } from "../../threads/store.ts";

const bytesOfProposal = (proposal: StoredProposal | undefined): number =>
  proposal ? bytesOfBody(JSON.stringify(proposal)) : 0;

/** What is kept in memory of a thread that an agent may read. */
export interface KnownThread {
  readonly id: string;
  readonly appId: string;
  /** The newest proposal as it is stored. */
  readonly proposal: StoredProposal | undefined;
  readonly answer: PreparedAnswer;
}

/** How much memory a thread takes beside its answer and its proposal. */
const smallThings = 2_000;

/**
 * Makes the function that finds a thread for an agent; undefined if the agent may not see it. Each viewer has an own answer
 * in memory, so that it can be dropped together with the reason why the viewer got it.
 */
export function createFindThread({
  clock,
  database,
  memory,
  settings,
}: Pick<Deps, "clock" | "database" | "memory" | "settings">) {
  const findRow = feedbackThreads.createFindThreadForAgent(database);

  async function load(name: string): Promise<KnownThread | undefined> {
    const { id, ...viewer } = wantedOf(name);
    const row = await findRow({ id, viewer });
    if (!row) return undefined;
    const shown = contract.readThread.success.body.parse(threadAnswer(settings, row, clock.now()));
    const { appId } = row;
    return { id, appId, proposal: storedProposals(row).at(-1), answer: prepareAnswer(JSON.stringify(shown)) };
  }

  const find = cachedLookup({
    ...{ memory, load },
    dropAll: topicsOfAllThreads,
    topicsOf: ({ id, appId, proposal }) => [
      ...[threadTopic(id), accessTopic(appId)],
      ...(proposal ? [proposalTopic(proposal.id)] : []),
    ],
    // The proposal is in memory twice.
    bytesOf: ({ answer, proposal }) => smallThings + bytesOfBody(answer.body) + bytesOfProposal(proposal),
  });
  /** Makes the function that says whether a thread is still in memory as it was. */
  const isKept = (thread: KnownThread, caller: AgentCaller) => {
    const name = nameOf(thread.id, caller);
    return () => find.peek(name) === thread;
  };
  return Object.assign(async (id: string, caller: AgentCaller) => find(nameOf(id, caller)), { isKept });
}

interface Wanted extends Viewer {
  readonly id: string;
}

function nameOf(id: string, { kind, userId, appId, needs }: AgentCaller): string {
  const wanted: Wanted = { id, kind, userId, appId, needs };
  return JSON.stringify(wanted);
}

const wantedOf = (name: string): Wanted => JSON.parse(name);
