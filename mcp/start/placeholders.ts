/** The two eras of the protocol: sessions that start with `initialize`, and requests that stand alone. */
export const eras = ["legacy", "modern"] as const;

export const versions = {
  legacy: ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"],
  modern: ["2026-07-28"],
} as const;

/** The lists that are the same for every client of a server. */
export const listed = ["tools/list", "prompts/list", "resources/list", "resources/templates/list"] as const;

/** Answers by method, with placeholders for values that differ by server or by request. */
export type PreparedAnswers = Readonly<Record<(typeof eras)[number], Readonly<Record<string, string>>>>;

export const metaKeys = {
  version: "io.modelcontextprotocol/protocolVersion",
  client: "io.modelcontextprotocol/clientInfo",
  capabilities: "io.modelcontextprotocol/clientCapabilities",
} as const;

/** The placeholders of the build for values that only a running server knows. */
export const placeholders = {
  id: "{id of the request}",
  options: { version: "{version}", baseUrl: "{address}", maxWaitSeconds: 239 },
} as const;

/** A request as the build sends it. */
export function requestIn(era: (typeof eras)[number], method: string) {
  const clientInfo = { name: "build", version: "1" };
  const request = { jsonrpc: "2.0", id: placeholders.id, method };
  if (method === "initialize")
    return { ...request, params: { protocolVersion: versions.legacy[0], capabilities: {}, clientInfo } };
  if (era === "legacy") return request;
  const _meta = {
    [metaKeys.version]: versions.modern[0],
    [metaKeys.client]: clientInfo,
    [metaKeys.capabilities]: {},
  };
  return { ...request, params: { _meta } };
}
