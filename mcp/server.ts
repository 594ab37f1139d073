import { McpServer } from "@modelcontextprotocol/server";
import type { Deps } from "./deps.ts";
import { instructionsFor } from "./instructions.ts";
import { tools } from "./listed.ts";
import { offer } from "./offer.ts";
import type { McpOptions } from "./options.ts";
import { offerPrompts } from "./prompts.ts";
import { offerResources } from "./resources.ts";

const neverChanges = { listChanged: false } as const;

/** A server for one client. */
export function createServer({ version }: Pick<McpOptions, "version">, deps: Deps): McpServer {
  const server = new McpServer(
    { name: "innkeep", title: "Innkeep", version },
    {
      instructions: instructionsFor(deps.readOnly),
      capabilities: { tools: neverChanges, resources: neverChanges, prompts: neverChanges },
    },
  );
  offer(server, tools.readFeedback, deps, load.readFeedback);
  if (!deps.readOnly) offer(server, tools.proposePlan, deps, load.proposePlan);
  offer(server, tools.getDecision, deps, load.getDecision);
  offerResources(server, deps);
  offerPrompts(server, deps);
  return server;
}

/** What the tools do, loaded when it is first needed. */
const load = {
  readFeedback: async () => (await import("./execution/read-feedback.ts")).readFeedbackRun,
  proposePlan: async () => (await import("./execution/propose-plan.ts")).proposePlanRun,
  getDecision: async () => (await import("./execution/get-decision.ts")).getDecisionRun,
};
