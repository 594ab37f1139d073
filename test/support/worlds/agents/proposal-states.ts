import type { Service } from "../../service/service.ts";
import { bearer, type OwnerWithOneOfEach, sendFeedback } from "../owner-with-one-of-each.ts";

/** Threads whose proposals are in different states, by their ids. */
export type ProposalStates = Awaited<ReturnType<typeof makeProposalStates>>;

/** The actions of an agent and a person on one proposal. */
export type ProposalWorker = ReturnType<typeof createProposalWorker>;

/** An agent that may work, and the owner of the app. `text` is in every field that an agent writes. */
export function createProposalWorker(service: Service, world: OwnerWithOneOfEach, token: string) {
  const agent = (path: string, body: object) =>
    service.request("POST", `/api/v1/agent${path}`, { headers: bearer(token), body });
  return {
    newThread: () => sendFeedback(service, world.app.key),
    address: (threadId: string, part = "") => `/console/feedback/${world.app.id}/${threadId}${part}`,
    propose: async (
      threadId: string,
      plan = "1. Find it\n2. Mend it",
      summary = "Mend it",
    ): Promise<string> => (await agent(`/feedback/${threadId}/proposal`, { summary, plan })).field("runId"),
    decide: (runId: string, decision: string, note = "") =>
      world.call("POST", `/runs/${runId}/decision`, { decision, note }),
    order: (runId: string, verb: "recall" | "release") => world.call("POST", `/runs/${runId}/${verb}`, {}),
    poll: (runId: string) =>
      service.request("GET", `/api/v1/agent/runs/${runId}`, { headers: bearer(token) }),
    claim: async (runId: string, worker = "build-7"): Promise<string> =>
      (await agent(`/runs/${runId}/claim`, { worker })).field("claimId"),
    progress: (runId: string, claimId: string, text: string) =>
      agent(`/runs/${runId}/progress`, { claimId, text }),
    outcome: (runId: string, outcome: { readonly claimId: string } & Record<string, unknown>) =>
      agent(`/runs/${runId}/outcome`, { status: "succeeded", summary: "It is mended.", ...outcome }),
  };
}

/** One thread for each state of a proposal. Agents write `text` into each field. */
export async function makeProposalStates(service: Service, world: OwnerWithOneOfEach, text = "Mend it") {
  const token = await service.makeToken(world.owner, "agent", { scopes: ["runs:work"] });
  const worker = createProposalWorker(service, world, token);
  const approved = async (threadId: string) => {
    const runId = await worker.propose(threadId, `1. ${text}`, text);
    await worker.decide(runId, "approve", text);
    return runId;
  };
  const claimed = async () => {
    const threadId = await worker.newThread();
    const runId = await approved(threadId);
    const claimId = await worker.claim(runId, text.slice(0, 100));
    for (let at = 0; at < 7; at += 1) await worker.progress(runId, claimId, `${at}: ${text}`);
    return { threadId, runId, claimId };
  };
  const ended = async (status: "succeeded" | "failed") => {
    const { threadId, runId, claimId } = await claimed();
    const links = ["https://github.com/larder-app/larder/pull/1"];
    await worker.outcome(runId, { claimId, status, summary: text, links });
    return threadId;
  };
  const sentBack = await worker.newThread();
  const first = await worker.propose(sentBack, `1. Find it\n2. ${text}\n3. Test it`, text);
  await worker.decide(first, "request_changes", text);
  await worker.propose(sentBack, `1. Find it\n2. Do more: ${text}\n3. Test it\n4. ${text}`, text);
  const unclaimed = await worker.newThread();
  await approved(unclaimed);
  const waiting = await worker.newThread();
  await worker.decide(await worker.propose(waiting), "request_changes", text);
  return {
    sentBack,
    waiting,
    unclaimed,
    inWork: (await claimed()).threadId,
    succeeded: await ended("succeeded"),
    failed: await ended("failed"),
  };
}
