import * as z from "zod/mini";

/** What a client considers before it asks its user. */
export interface ToolAnnotations {
  readonly title: string;
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  /** Means something only if the tool is not read-only. */
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** A tool as data: everything that a client learns of it. */
export interface ToolDefinition<Input extends z.ZodMiniObject, Output extends z.ZodMiniObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  readonly input: Input;
  readonly output: Output;
  readonly meta?: Record<string, unknown>;
}

export const defineTool = <Input extends z.ZodMiniObject, Output extends z.ZodMiniObject>(
  definition: ToolDefinition<Input, Output>,
): ToolDefinition<Input, Output> => definition;

/** The argument that names a thread. */
export const feedback = z.string().check(z.maxLength(500), z.describe("Feedback id (UUID) or console link"));
