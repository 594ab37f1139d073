import type { CallToolResult } from "@modelcontextprotocol/server";
import type * as z from "zod/mini";
import type { Deps } from "../deps.ts";
import { argumentsOf } from "./arguments.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** One call of a tool. */
export interface Call {
  readonly signal: AbortSignal;
  /** Tells the client how far the call is, where it asked to be told. The value must grow. */
  readonly progress: (seconds: number, of: number) => Promise<void>;
}

/** What a tool answers: the same for programs and for readers, and what may stand beside it. */
export interface ToolAnswer<Output> {
  readonly structured: Output;
  readonly text: string;
  readonly beside?: CallToolResult["content"];
}

export type Execution<Input, Output> = (input: Input, deps: Deps, call: Call) => Promise<ToolAnswer<Output>>;

/** Runs a tool on whatever a client sent. Rejects with a Refusal, or with what the client of the API rejects with. */
export type ToolRun = (given: unknown, deps: Deps, call: Call) => Promise<CallToolResult>;

/** A tool and what it does, together. */
export const runOf =
  <Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
    { input }: ToolDefinition<Input, Output>,
    execute: Execution<z.output<Input>, z.input<Output>>,
  ): ToolRun =>
  async (given, deps, call) => {
    const { structured, text, beside = [] } = await execute(argumentsOf(input, given), deps, call);
    return { content: [{ type: "text", text }, ...beside], structuredContent: { ...structured } };
  };
