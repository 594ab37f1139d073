import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import type { Deps } from "../deps.ts";
import type { Call, ToolRun } from "./run-tool.ts";
import type { ListedTool } from "./tool-list.ts";
import { wireSchema } from "./wire-schema.ts";

export interface LoadableTool {
  readonly tool: ListedTool;
  readonly load: () => Promise<ToolRun>;
}

/** Registers a tool. Its code is loaded at the first call. */
export function registerTool(server: McpServer, { tool, load }: LoadableTool, deps: Deps): void {
  const { name, inputSchema, outputSchema, ...rest } = tool;
  const config = { ...rest, inputSchema: wireSchema(inputSchema), outputSchema: wireSchema(outputSchema) };
  server.registerTool(name, config, async (given, context): Promise<CallToolResult> => {
    try {
      const run = await load();
      return await run(given, deps, callOf(context));
    } catch (error) {
      if (context.mcpReq.signal.aborted) throw error;
      return { isError: true, content: [{ type: "text", text: await deps.explain(error) }] };
    }
  });
}

function callOf({ mcpReq }: ServerContext): Call {
  const progressToken = mcpReq._meta?.progressToken;
  return {
    signal: mcpReq.signal,
    async progress(seconds, of) {
      if (progressToken === undefined) return;
      const message = `Waiting for a decision: ${seconds} of ${of} s`;
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress: seconds, total: of, message },
      });
    },
  };
}
