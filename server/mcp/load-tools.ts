import type { HttpTools } from "../../src/programs.ts";
import type { Deps } from "../deps.ts";
import { serverVersion } from "../version.ts";

/** The tools. Their code is a file of its own in the build: a server whose tools nobody calls does not load it. */
export async function loadTools({ settings, log }: Pick<Deps, "settings" | "log">): Promise<HttpTools> {
  const { createHttpTools } = await import("../../mcp/http/http-tools.ts");
  return createHttpTools({
    version: serverVersion ?? "0.0.0",
    baseUrl: settings.baseUrl,
    consoleUrl: settings.consoleUrl,
    onError: (error) => log.debug({ err: error }, "a message for the tools was refused"),
  });
}
