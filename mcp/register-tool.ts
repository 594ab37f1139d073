import type {
  CallToolResult,
  InputRequiredResult,
  McpServer,
  ServerContext,
  StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import type { Deps } from "./deps.ts";
import { PageOffer, pageOfferOf } from "./page-offer.ts";
import type { Call, ToolRun } from "./tool.ts";
import type { ListedTool } from "./tool-list.ts";

export interface LoadableTool {
  readonly tool: ListedTool;
  readonly load: () => Promise<ToolRun>;
}

/** Registers a tool. Its code is loaded at the first call. */
export function registerTool(server: McpServer, { tool, load }: LoadableTool, deps: Deps): void {
  const { name, inputSchema, outputSchema, ...rest } = tool;
  const config = { ...rest, inputSchema: wireSchema(inputSchema), outputSchema: wireSchema(outputSchema) };
  server.registerTool(name, config, async (given, context): Promise<CallToolResult | InputRequiredResult> => {
    try {
      const call = { ...callOf(context), offerPage: pageOfferOf(server, context) };
      return await runSafely({ load }, { given, deps, call });
    } catch (error) {
      if (error instanceof PageOffer) return error.result;
      throw error;
    }
  });
}

/** Runs a tool. A failure becomes a result that explains it. Rejects with a PageOffer, and if the call was aborted. */
export async function runSafely(
  { load }: Pick<LoadableTool, "load">,
  { given, deps, call }: { readonly given: unknown; readonly deps: Deps; readonly call: Call },
): Promise<CallToolResult> {
  try {
    const run = await load();
    return await run(given, deps, call);
  } catch (error) {
    if (error instanceof PageOffer || call.signal.aborted) throw error;
    return { isError: true, content: [{ type: "text", text: await deps.explain(error) }] };
  }
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

/**
 * A JSON Schema in the form that the SDK needs. It is only shown to clients and accepts every value, because a tool
 * checks its input itself and describes faults in its own words.
 */
export function wireSchema(schema: Record<string, unknown>): StandardSchemaWithJSON {
  const json = () => schema;
  return {
    "~standard": {
      version: 1,
      vendor: "innkeep",
      validate: (value) => ({ value }),
      jsonSchema: { input: json, output: json },
    },
  };
}
