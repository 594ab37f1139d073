import * as z from "zod/mini";

const Result = z.looseObject({
  isError: z.optional(z.boolean()),
  content: z.array(z.looseObject({ type: z.string(), text: z.optional(z.string()) })),
  structuredContent: z.optional(z.record(z.string(), z.unknown())),
});

/** A tool's answer in both channels. */
export function readToolResult(result: unknown) {
  const { isError = false, content, structuredContent = {} } = Result.parse(result);
  return { isError, text: content[0]?.text ?? "", structured: structuredContent, content };
}
