import { type DemoServer, startDemoServer } from "./demo-server.ts";
import type { LoadTarget } from "./load.ts";
import { makeManyKeys } from "./many-keys.ts";

/** A server whose limits no request of the load reaches, because the requests use many keys. */
export interface LimitedServer {
  readonly demo: DemoServer;
  /** A small report, each time with the next key. */
  readonly report: LoadTarget;
  /** A read of a proposal, each time with the next token. */
  readonly poll: LoadTarget;
  stop(): Promise<void>;
}

/** Starts a server on a new folder. `limits` is the value of INNKEEP_RATE_LIMITS. */
export async function startLimitedServer(data: string, limits: string): Promise<LimitedServer> {
  let keys: Awaited<ReturnType<typeof makeManyKeys>> = { apiKeys: [], agentTokens: [] };
  const variables = { INNKEEP_DATA: data, INNKEEP_RATE_LIMITS: limits };
  const demo = await startDemoServer(variables, {
    prepare: async (account) => {
      keys = await makeManyKeys(data, account);
    },
  });
  const { port, runId } = demo;
  return {
    demo,
    report: { ...smallReport(port), variants: keys.apiKeys.map((key) => ({ "x-api-key": key })) },
    poll: {
      ...{ port, method: "GET", path: `/api/v1/agent/runs/${runId}`, headers: {} },
      variants: keys.agentTokens.map((token) => ({ authorization: `Bearer ${token}` })),
    },
    stop: () => demo.program.stop(),
  };
}

/** A small report, without an app key. */
export const smallReport = (port: number): LoadTarget => ({
  port,
  method: "POST",
  path: "/api/v1/feedback/remote",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({
    type: "bug",
    message: "The settings page closes when it is opened twice.",
    source: "ci",
  }),
});
