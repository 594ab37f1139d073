import { McpServer } from "@modelcontextprotocol/server";
import type { Deps } from "./deps.ts";
import { instructionsFor } from "./instructions.ts";
import type { McpOptions } from "./options.ts";
import { offerPrompts } from "./prompts.ts";
import { offerResources } from "./resources.ts";
import { offer } from "./tool.ts";
import { getDecision } from "./tools/get-decision.ts";
import { proposePlan } from "./tools/propose-plan.ts";
import { readFeedback } from "./tools/read-feedback.ts";

/** A server for one client. What a tool does is loaded when the tool is first called. */
export function createServer(options: Pick<McpOptions, "version">, deps: Deps): McpServer {
  const server = new McpServer(
    { name: "innkeep", title: "Innkeep", version: options.version },
    {
      instructions: instructionsFor(deps.readOnly),
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
      },
    },
  );
  offer(server, readFeedback, deps, async () => (await import("./execution/read-feedback.ts")).readFeedback);
  if (!deps.readOnly)
    offer(server, proposePlan, deps, async () => (await import("./execution/propose-plan.ts")).proposePlan);
  offer(server, getDecision, deps, async () => (await import("./execution/get-decision.ts")).getDecision);
  offerResources(server, deps);
  offerPrompts(server, deps);
  return server;
}
