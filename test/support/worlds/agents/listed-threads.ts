import { expect } from "vitest";
import * as z from "zod";
import { request } from "../../service/request.ts";
import type { Service } from "../../service/service.ts";
import { type AppWithAgent, submitFeedback } from "../app-with-owner-and-agent.ts";

/** The address of an agent's list of threads. */
export const listPath = "/api/v1/agent/feedback";

const List = z.object({
  items: z.array(z.looseObject({ id: z.string(), subject: z.string(), waiting: z.string() })),
  changes: z.string(),
});

/** Requests the list from a server as the agent. */
export async function listThreadsOf(
  { baseUrl }: Pick<Service, "baseUrl">,
  { agent }: Pick<AppWithAgent, "agent">,
  query: Record<string, string> = {},
) {
  const answer = await request(baseUrl, "GET", `${listPath}?${new URLSearchParams(query)}`, {
    headers: agent,
  });
  expect(answer).toMatchObject({ status: 200 });
  return List.parse(answer.body);
}

/** Sends a report with a subject. Returns the thread's id. */
export const sendSubject = (service: Service, cast: AppWithAgent, subject: string) =>
  submitFeedback(service, cast, { subject });
