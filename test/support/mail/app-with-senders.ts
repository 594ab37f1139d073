import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";
import { makeAppWithAgent } from "../worlds/app-with-owner-and-agent.ts";

/** An app, its owner, and functions with which people send reports. */
export async function makeAppWithSenders(service: Service) {
  const cast = await makeAppWithAgent(service);
  const console = (method: string, path: string, body?: object): Promise<Answer> =>
    service.request(method, `/api/v1/console${path}`, { headers: cast.person, body });
  return {
    ...cast,
    console,
    report: (body: object, headers: Record<string, string> = {}): Promise<Answer> =>
      service.request("POST", "/api/v1/feedback/remote", {
        headers: { ...cast.key, ...headers },
        body: { type: "bug", message: "It broke.", ...body },
      }),
    reply: (id: string, body: object = {}) =>
      console("POST", `/feedback/${id}/messages`, { direction: "outbound", body: "Fixed in 1.2.", ...body }),
    thread: async (id: string) => (await console("GET", `/feedback/${id}`)).body,
  };
}

export type AppWithSenders = Awaited<ReturnType<typeof makeAppWithSenders>>;
