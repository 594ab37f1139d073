import { accessTopic, proposalTopic, topicsOfAllThreads } from "../../../database/signals.ts";
import type { Deps } from "../../../deps.ts";
import { bytesOfBody, prepareAnswer } from "../../../http/answers.ts";
import type { AgentCaller } from "../../../http/handler.ts";
import { cachedLookup } from "../../../http/lookup-cache.ts";
import { proposalAnswer } from "../../proposals/answer.ts";
import { type ProposalRow, proposals } from "../../proposals/store.ts";

/** Makes the function that finds a proposal, for every caller. It is kept in memory until it changes. */
export const createFindRun = ({
  database,
  memory,
  settings,
  waitingAgents,
}: Pick<Deps, "database" | "memory" | "settings" | "waitingAgents">) =>
  cachedLookup({
    memory,
    load: async (id) => knownRun(settings, await proposals.findOwned(database, id)),
    dropAll: topicsOfAllThreads,
    topicsOf: ({ id, appId }) => [proposalTopic(id), accessTopic(appId)],
    storedWith: (topic) => {
      const run = knownRun(settings, waitingAgents.handedOver(topic));
      return run && [run.id, run];
    },
    bytesOf: ({ answer, owners }) => smallThings + bytesOfBody(answer.body) + bytesOfBody(owners),
  });

/** How much memory a proposal takes beside its answer. */
const smallThings = 1_000;

/** A proposal in memory: the data that decides who may read it and in which form, and the answer. */
export function knownRun(settings: Deps["settings"], run: ProposalRow | undefined) {
  if (!run) return undefined;
  const { id, owners, appId, status, decision, decidedAt, expiresAt, firstReadAt } = run;
  const answer = prepareAnswer(JSON.stringify(proposalAnswer(settings, run)));
  return { id, owners, appId, status, decision, decidedAt, expiresAt, firstReadAt, answer };
}

export const mayRead = (
  { userId, appId }: AgentCaller,
  run: Pick<ProposalRow, "owners" | "appId">,
): boolean => run.owners.split(" ").includes(userId) && (appId === null || run.appId === appId);
