import {
  Client as NewerClient,
  type JSONRPCMessage as NewerMessage,
  type Transport as NewerTransport,
} from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as OlderTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage as OlderMessage } from "@modelcontextprotocol/sdk/types.js";
import { expect } from "vitest";

/** The two eras of the protocol: sessions that start with `initialize`, and requests that stand alone. */
export const eras = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof eras)[number];

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeout?: number;
  readonly onprogress?: (progress: { progress: number; total?: number; message?: string }) => void;
}

type Result = Record<string, unknown>;

/** The client functions that tests use, the same for both eras. */
export interface TestClient {
  instructions(): string | undefined;
  listTools(): Promise<Result>;
  callTool(name: string, args: Result, options?: CallOptions): Promise<Result>;
  listResources(): Promise<Result>;
  listTemplates(): Promise<Result>;
  readResource(uri: string): Promise<Result>;
  listPrompts(): Promise<Result>;
  getPrompt(name: string, args?: Record<string, string>): Promise<Result>;
  complete(uri: string, name: string, value: string): Promise<Result>;
  close(): Promise<void>;
}

export type AnyTransport = { readonly older: OlderTransport } | { readonly newer: NewerTransport };
export type { NewerMessage, OlderMessage };

const identity = { name: "test", version: "1.0.0" };

export async function connectOlder(transport: OlderTransport): Promise<TestClient> {
  const client = new OlderClient(identity);
  await client.connect(transport);
  return {
    instructions: () => client.getInstructions(),
    listTools: () => client.listTools(),
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    listResources: () => client.listResources(),
    listTemplates: () => client.listResourceTemplates(),
    readResource: (uri) => client.readResource({ uri }),
    listPrompts: () => client.listPrompts(),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (uri, name, value) =>
      client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } }),
    close: () => client.close(),
  };
}

export async function connectNewer(transport: NewerTransport): Promise<TestClient> {
  const client = new NewerClient(identity, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(transport);
  expect(client.getNegotiatedProtocolVersion()).toBe("2026-07-28");
  return {
    instructions: () => client.getInstructions(),
    listTools: () => client.listTools(),
    callTool: (name, args, options) => client.callTool({ name, arguments: args }, options),
    listResources: () => client.listResources(),
    listTemplates: () => client.listResourceTemplates(),
    readResource: (uri) => client.readResource({ uri }),
    listPrompts: () => client.listPrompts(),
    getPrompt: (name, args) => client.getPrompt({ name, arguments: args }),
    complete: (uri, name, value) =>
      client.complete({ ref: { type: "ref/resource", uri }, argument: { name, value } }),
    close: () => client.close(),
  };
}
