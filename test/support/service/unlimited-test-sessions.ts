import type { Callers } from "../../../server/http/handler.ts";
import { createInvoke } from "../../../server/http/pipeline.ts";
import { testSessionHandlers } from "../../../server/testing/sessions/api.ts";
import { contract } from "../../../src/contract/index.ts";
import type { Service } from "./service.ts";

/** Reports sessions as the endpoint would, but without its limit: for races with more sessions than the hourly limit. */
export function unlimitedTestSessions({ deps }: Service, appId: string) {
  const endpoint = { ...contract.sessions.report };
  Object.defineProperty(endpoint, "rateLimit", { value: undefined });
  const invoke = createInvoke(endpoint, testSessionHandlers(deps).report, deps);
  const caller: Callers["appKey"] = {
    kind: "appKey",
    id: "key",
    appId,
    ownerId: "owner",
    feedbackEnabled: true,
    changelogEnabled: true,
    senderPages: true,
    blocksSenders: false,
    hasReceivers: false,
    faqsVersion: 0,
    changelogVersion: 0,
    scopes: [],
  };
  return async (body: object): Promise<unknown> => {
    const outcome = await invoke({
      caller,
      body,
      path: endpoint.path,
      params: undefined,
      query: undefined,
      idempotencyKey: undefined,
      address: "127.0.0.1",
      browser: { origin: undefined, sessionId: undefined, known: undefined, userAgent: undefined },
      callerNow: async () => caller,
      signal: () => deps.stopping,
      setSession: () => {},
    });
    return JSON.parse(String(outcome.body));
  };
}
