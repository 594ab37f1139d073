import type { Sending } from "../../support/service/request.ts";

type Message = Required<Pick<Sending, "headers" | "body">>;

const accept = "application/json, text/event-stream";

/** A message of the era without sessions, as a client of 2025-11-25 sends it. */
export const olderMessage = (method: string, params: object = {}): Message => ({
  headers: { accept, "mcp-protocol-version": "2025-11-25" },
  body: { jsonrpc: "2.0", id: 1, method, params },
});

/** An independent request, as a client of 2026-07-28 sends it. */
export const newerMessage = (method: string, params: object = {}): Message => ({
  headers: {
    accept,
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": method,
    ...("name" in params && { "mcp-name": String(params.name) }),
  },
  body: {
    jsonrpc: "2.0",
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
      },
    },
  },
});

export const messages = { "2025-11-25": olderMessage, "2026-07-28": newerMessage } as const;
