import type { AppTraits } from "../service/app-and-credential-makers.ts";
import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";

/** An app and its users, each as the headers that identify them. */
export type AppWithAgent = Awaited<ReturnType<typeof makeAppWithAgent>>;

/** A new app with its key, its owner signed in to the console, and an agent of the owner. */
export async function makeAppWithAgent(service: Service, traits: Partial<AppTraits> = {}) {
  const owner = await service.makeUser();
  const { id: appId, key } = await service.makeApp(owner, traits);
  return {
    owner,
    appId,
    key: { "x-api-key": key },
    agent: { authorization: `Bearer ${await service.makeToken(owner, "agent")}` },
    person: await service.signIn(owner),
    device: await service.makeDevice(owner),
  };
}

/** Submits a small report and returns its id. */
export async function submitFeedback(
  service: Service,
  cast: AppWithAgent,
  more: object = {},
): Promise<string> {
  const body = { type: "bug", message: "It crashes.", ...more };
  const answer = await service.request("POST", "/api/v1/feedback/remote", { headers: cast.key, body });
  return answer.field("id");
}

/** Snoozes a thread for an hour. */
export async function snoozeForHour(service: Service, { person }: AppWithAgent, id: string): Promise<void> {
  const snoozedUntil = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
  await service.request("PATCH", `/api/v1/console/feedback/${id}`, {
    headers: person,
    body: { snoozedUntil },
  });
}

/** Posts a proposal on a thread. Returns the id of the proposal. */
export async function propose(service: Service, cast: AppWithAgent, feedbackId: string): Promise<string> {
  const body = { summary: "Guard the upload.", plan: "1. Check the size." };
  const path = `/api/v1/agent/feedback/${feedbackId}/proposal`;
  return (await service.request("POST", path, { headers: cast.agent, body })).field("runId");
}

/** Approves or rejects a proposal as the app's owner in the console. */
export function decide(service: Service, cast: AppWithAgent, runId: string, body: object): Promise<Answer> {
  return service.request("POST", `/api/v1/console/runs/${runId}/decision`, { headers: cast.person, body });
}

/** Writes a release note in the console, published a minute ago by default. */
export function writeNote(service: Service, cast: AppWithAgent, note: object): Promise<Answer> {
  const publishedAt = new Date(service.clock.now().getTime() - 60_000).toISOString();
  const body = { title: "News", version: "1.0.0", publishedAt, allowDuplicate: true, ...note };
  return service.request("POST", `/api/v1/console/apps/${cast.appId}/changelog`, {
    headers: cast.person,
    body,
  });
}
