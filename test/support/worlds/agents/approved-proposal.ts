import type { AppTraits } from "../../service/app-and-credential-makers.ts";
import type { Answer } from "../../service/request.ts";
import type { Service } from "../../service/service.ts";
import {
  type AppWithAgent,
  decide,
  makeAppWithAgent,
  propose,
  submitFeedback,
} from "../app-with-owner-and-agent.ts";

/** An app whose agent may work, and functions for what agents and people do with its proposals. */
export type WorkingAgent = Awaited<ReturnType<typeof makeWorkingAgent>>;

type Headers = Readonly<Record<string, string>>;

/** A new app, its owner in a browser, and an agent whose token has the scope `runs:work`. */
export async function makeWorkingAgent(service: Service, traits: Partial<AppTraits> = {}) {
  const cast: AppWithAgent = await makeAppWithAgent(service, traits);
  const makeAgent = async (scopes = ["runs:work"]) => ({
    authorization: `Bearer ${await service.makeToken(cast.owner, "agent", { scopes })}`,
  });
  const agent = await makeAgent();
  const work = (runId: string, verb: string, body: object, headers: Headers = agent): Promise<Answer> =>
    service.request("POST", `/api/v1/agent/runs/${runId}/${verb}`, { headers, body });
  const order = (runId: string, verb: string, body: object = {}): Promise<Answer> =>
    service.request("POST", `/api/v1/console/runs/${runId}/${verb}`, { headers: cast.person, body });
  const newThread = () => submitFeedback(service, cast);
  const proposeOn = (threadId: string) => propose(service, { ...cast, agent }, threadId);
  return {
    ...cast,
    agent,
    makeAgent,
    work,
    order,
    newThread,
    proposeOn,
    decide: (runId: string, body: object) => decide(service, cast, runId, body),
    poll: (runId: string, headers: Headers = agent): Promise<Answer> =>
      service.request("GET", `/api/v1/agent/runs/${runId}`, { headers }),
    claim: (runId: string, worker = "one", headers: Headers = agent) =>
      work(runId, "claim", { worker }, headers),
    /** A proposal on a thread, by default a new one, that a person has approved. */
    async approved(threadId?: string): Promise<string> {
      const runId = await proposeOn(threadId ?? (await newThread()));
      await decide(service, cast, runId, { decision: "approve" });
      return runId;
    },
  };
}

/** A proposal of a new app that a worker has carried out, with its progress and its outcome. */
export async function finishProposal(service: Service): Promise<void> {
  const { approved, claim, work } = await makeWorkingAgent(service);
  const runId = await approved();
  const claimId = (await claim(runId)).field("claimId");
  await work(runId, "progress", { claimId, text: "Half “way” \\ \n." });
  await work(runId, "outcome", { claimId, status: "succeeded", summary: "Zoë’s 🦓 is mended." });
}
