import type { CallToolResult, McpServer, ServerContext } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { issuesOf } from "../src/contract/issues.ts";
import type { Deps } from "./deps.ts";
import { Refusal } from "./refusal.ts";
import { wireSchema } from "./wire-schema.ts";

/** A tool as data: all that a client learns of it. */
export interface ToolDefinition<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: {
    readonly title: string;
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly input: Input;
  readonly output: Output;
  readonly meta?: Record<string, unknown>;
}

export const defineTool = <Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> => definition;

/** What a tool answers: the same for programs and for readers, and what may stand beside it. */
export interface ToolAnswer<Output> {
  readonly structured: Output;
  readonly text: string;
  readonly beside?: CallToolResult["content"];
}

/** One call of a tool. */
export interface Call {
  readonly signal: AbortSignal;
  /** Tells the client how far the call is, where it asked to be told. The value must grow. */
  readonly progress: (seconds: number, of: number) => Promise<void>;
}

export type Execution<Input, Output> = (input: Input, deps: Deps, call: Call) => Promise<ToolAnswer<Output>>;

/** Offers a tool. Its execution is loaded when it is called for the first time. */
export function offer<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
  server: McpServer,
  definition: ToolDefinition<Input, Output>,
  deps: Deps,
  load: () => Promise<Execution<z.output<Input>, z.input<Output>>>,
): void {
  const { name, title, description, annotations, input, output, meta } = definition;
  server.registerTool(
    name,
    {
      title,
      description,
      annotations,
      inputSchema: wireSchema(input, "input"),
      outputSchema: wireSchema(output, "output"),
      _meta: meta,
    },
    async (given, context): Promise<CallToolResult> => {
      try {
        const execute = await load();
        return resultOf(await execute(parsed(input, given), deps, callOf(context)));
      } catch (error) {
        if (context.mcpReq.signal.aborted) throw error;
        return { isError: true, content: [{ type: "text", text: await deps.explain(error) }] };
      }
    },
  );
}

/** Throws a Refusal that names every fault. */
function parsed<Input extends z.ZodMiniObject>(input: Input, given: unknown): z.output<Input> {
  const result = z.safeParse(input, given ?? {});
  if (result.success) return result.data;
  const faults = issuesOf(result.error).map(({ path, message }) => `\`${path || "arguments"}\` ${message}`);
  throw new Refusal(`Nothing was done: ${faults.join("; ")}. Correct this, then call again.`);
}

const resultOf = ({ structured, text, beside = [] }: ToolAnswer<object>): CallToolResult => ({
  content: [{ type: "text", text }, ...beside],
  structuredContent: { ...structured },
});

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
