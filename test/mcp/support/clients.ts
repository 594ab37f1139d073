import {
  Client as NewerClient,
  type JSONRPCMessage as NewerMessage,
  type Transport as NewerTransport,
} from "@modelcontextprotocol/client";
import { Client as OlderClient } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport as OlderTransport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  ElicitRequestSchema,
  type JSONRPCMessage as OlderMessage,
  ResourceUpdatedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { expect } from "vitest";

/** The two eras of the protocol: sessions that start with `initialize`, and independent requests. */
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
  /** Follows resources with the method of the era. `hear` gets the address of each changed resource. */
  follow(uris: readonly string[], hear: (uri: string) => void): Promise<Followed>;
  close(): Promise<void>;
}

export interface Followed {
  /** The resources that the server allows it to follow. */
  readonly uris: readonly string[];
  /** How it ended. The older era does not report this. */
  readonly closed: Promise<"local" | "graceful" | "remote">;
  end(): Promise<void>;
}

export type { NewerMessage, OlderMessage };

const identity = { name: "test", version: "1.0.0" };

/** A client that can open pages. It gets each page, and returns the person's answer. */
export type OnPage = (page: { readonly url: string; readonly message: string }) => "accept" | "decline";

const capabilitiesOf = (onPage: OnPage | undefined) => ({
  capabilities: onPage ? { elicitation: { url: {} } } : {},
});

export async function connectOlder(transport: OlderTransport, onPage?: OnPage): Promise<TestClient> {
  const client = new OlderClient(identity, capabilitiesOf(onPage));
  if (onPage)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      if (params.mode !== "url") throw new Error("not a page");
      return { action: onPage(params) };
    });
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
    async follow(uris, hear) {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => hear(params.uri));
      for (const uri of uris) await client.subscribeResource({ uri });
      const end = async () => {
        for (const uri of uris) await client.unsubscribeResource({ uri });
      };
      return { uris, closed: new Promise(() => undefined), end };
    },
    close: () => client.close(),
  };
}

export async function connectNewer(transport: NewerTransport, onPage?: OnPage): Promise<TestClient> {
  const versionNegotiation = { mode: { pin: "2026-07-28" } } as const;
  const client = new NewerClient(identity, { versionNegotiation, ...capabilitiesOf(onPage) });
  if (onPage)
    client.setRequestHandler("elicitation/create", ({ params }) => {
      if (params.mode !== "url") throw new Error("not a page");
      return { action: onPage(params) };
    });
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
    async follow(uris, hear) {
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => hear(params.uri));
      const subscription = await client.listen({ resourceSubscriptions: [...uris] });
      return {
        uris: subscription.honoredFilter.resourceSubscriptions ?? [],
        closed: subscription.closed,
        end: () => subscription.close(),
      };
    },
    close: () => client.close(),
  };
}
