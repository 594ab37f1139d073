import { PassThrough } from "node:stream";
import type { McpOptions } from "../options.ts";
import { serveSession } from "../session.ts";
import { type eras, listed, type PreparedAnswers, placeholders, requestIn } from "./placeholders.ts";

/**
 * The answers of the SDK to the first messages of a client. The build replaces this code by the texts, so that a
 * server that only gives these answers does not load the SDK.
 */
export const buildTimeAnswers = {
  all: await answersOf({ ...placeholders.options, readOnly: false }),
  readOnly: await answersOf({ ...placeholders.options, readOnly: true }),
};

async function answersOf(options: McpOptions): Promise<PreparedAnswers> {
  return {
    legacy: await texts(options, "legacy", ["initialize", ...listed]),
    modern: await texts(options, "modern", ["server/discover", ...listed]),
  };
}

async function texts(
  options: McpOptions,
  era: (typeof eras)[number],
  methods: readonly string[],
): Promise<Record<string, string>> {
  const lines = new PassThrough();
  const out = new PassThrough({ encoding: "utf8" });
  const earlyInput = { answered: Buffer.alloc(0), answers: 0, rest: Buffer.alloc(0) };
  const session = serveSession(options, { earlyInput, lines, out, warn: () => undefined });
  const answers: Record<string, string> = {};
  for (const method of methods) {
    lines.write(`${JSON.stringify(requestIn(era, method))}\n`);
    answers[method] = await nextLine(out);
  }
  await session.close();
  return answers;
}

async function nextLine(out: PassThrough): Promise<string> {
  let line = "";
  while (!line.endsWith("\n")) {
    const chunk: unknown = out.read();
    if (chunk === null) await new Promise((resolve) => out.once("readable", resolve));
    else line += String(chunk);
  }
  return line;
}
