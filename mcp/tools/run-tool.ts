import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod/mini";
import type { Deps } from "../deps.ts";
import { argumentsOf } from "./arguments.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** One call of a tool. */
export interface Call {
  readonly signal: AbortSignal;
  /** Reports progress to a client that asked for it. The value must grow. */
  readonly progress: (seconds: number, of: number) => Promise<void>;
}

/** The result of a tool: the same content as structure and as text, and further content. */
export interface ToolAnswer<Output> {
  readonly structured: Output;
  readonly text: string;
  readonly beside?: CallToolResult["content"];
}

export type Execution<Input, Output> = (input: Input, deps: Deps, call: Call) => Promise<ToolAnswer<Output>>;

/** Runs a tool with the unchecked input of a client. Rejects with a Refusal, or as the client of the API does. */
export type ToolRun = (given: unknown, deps: Deps, call: Call) => Promise<CallToolResult>;

/** A tool's definition with its code. */
export const runOf =
  <Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
    { input }: ToolDefinition<Input, Output>,
    execute: Execution<z.output<Input>, z.input<Output>>,
  ): ToolRun =>
  async (given, deps, call) => {
    const { structured, text, beside = [] } = await execute(argumentsOf(input, given), deps, call);
    return { content: [{ type: "text", text }, ...beside], structuredContent: { ...structured } };
  };
