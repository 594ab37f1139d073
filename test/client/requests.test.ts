import { describe, expect, it } from "vitest";
import type { Client } from "../../src/client/call.ts";
import { appKey, clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import { listen } from "../support/network/recording-server.ts";

/** A server that records the headers of requests, and answers each with a valid body. */
async function keepingHeads() {
  const heads: { method?: string; url?: string; headers: Record<string, unknown> }[] = [];
  const baseUrl = await listen(({ method, url, headers }, response) => {
    heads.push({ method, url, headers });
    const list = method === "GET" && url?.includes("faqs");
    response.end(JSON.stringify(list ? [] : { id: "1", entries: [], items: [], user: {}, app: {} }));
  });
  return { baseUrl, heads };
}

describe("a request of the client", () => {
  it.each<[string, (client: Client) => Promise<unknown>, Record<string, string>]>([
    ["an app's endpoint", (client) => client.faqs.list(), { "x-api-key": appKey }],
    [
      "an agent's endpoint",
      (client) => client.agent.readRun({ params: { runId: "1" } }),
      { authorization: "Bearer sda_ofTheTest" },
    ],
    ["the console", (client) => client.session.me(), { authorization: "Bearer sdm_ofTheTest" }],
  ])("to %s contains only its credential", async (_, call, expected) => {
    const { baseUrl, heads } = await keepingHeads();
    await call(clientWithCredentials(baseUrl).client);
    const { "x-api-key": key, authorization } = heads[0]?.headers ?? {};
    expect({ "x-api-key": key, authorization }).toEqual({
      "x-api-key": undefined,
      authorization: undefined,
      ...expected,
    });
  });

  it("to a public endpoint contains no credential", async () => {
    const { baseUrl, heads } = await keepingHeads();
    await clientWithCredentials(baseUrl).client.session.create({
      body: { email: "a@b.c", password: "secret" },
    });
    expect(Object.keys(heads[0]?.headers ?? {})).not.toContain("authorization");
  });

  it("keeps the path of the base address", async () => {
    const { baseUrl, heads } = await keepingHeads();
    await clientWithCredentials(`${baseUrl}/innkeep`).client.changelog.list({
      query: { since: "1.0 beta", limit: "5" },
    });
    expect(heads[0]?.url).toBe("/innkeep/api/v1/changelog/remote?since=1.0+beta&limit=5");
  });

  it("escapes path parameters", async () => {
    const { baseUrl, heads } = await keepingHeads();
    await clientWithCredentials(baseUrl).client.faqs.update({ params: { faqId: "a/b?c" }, body: {} });
    expect(heads[0]?.url).toBe("/api/v1/faqs/remote/a%2Fb%3Fc");
  });

  it.each(["", " ", ".", ".."])(
    "is not sent with the id %j, which would change the address",
    async (faqId) => {
      const { baseUrl, heads } = await keepingHeads();
      await expect(
        clientWithCredentials(baseUrl).client.faqs.remove({ params: { faqId } }),
      ).rejects.toMatchObject({
        name: "InvalidInputError",
      });
      expect(heads).toEqual([]);
    },
  );

  it("leaves out undefined fields", async () => {
    const { baseUrl, heads } = await keepingHeads();
    await clientWithCredentials(baseUrl).client.changelog.list({ query: { since: undefined, limit: "5" } });
    expect(heads[0]?.url).toBe("/api/v1/changelog/remote?limit=5");
  });
});

describe("the error about a missing credential", () => {
  it.each<[string, (client: Client) => Promise<unknown>]>([
    [
      "This request needs an app key. Set INNKEEP_API_KEY, or store one with `innkeep auth set api-key`.",
      (client) => client.faqs.list(),
    ],
    [
      "This request needs an agent token. Set INNKEEP_AGENT_TOKEN, or store one with `innkeep auth set agent-token`.",
      (client) => client.agent.readRun({ params: { runId: "1" } }),
    ],
    [
      "This request needs a maintainer token. Set INNKEEP_TOKEN, or store one with `innkeep auth set token`.",
      (client) => client.apps.list(),
    ],
  ])("appears before any request: %s", async (message, call) => {
    const { baseUrl, heads } = await keepingHeads();
    const { client } = clientWithCredentials(baseUrl, { credentials: {} });
    await expect(call(client)).rejects.toMatchObject({ name: "MissingCredentialError", message });
    expect(heads).toEqual([]);
  });

  it("appears only for the call that needs the credential", async () => {
    const { baseUrl } = await keepingHeads();
    const asked: string[] = [];
    const credentials = async (kind: string) => {
      asked.push(kind);
      return " sda_given\n";
    };
    const { client } = clientWithCredentials(baseUrl, { credentials });
    await client.agent.readRun({ params: { runId: "1" } });
    expect(asked).toEqual(["agentToken"]);
  });

  it("does not contain the invalid value", async () => {
    const { client } = clientWithCredentials("http://127.0.0.1:9", {
      credentials: { appKey: "sdk_a\r\nx: 1" },
    });
    await expect(client.faqs.list()).rejects.toMatchObject({
      name: "InvalidInputError",
      message: "The app key contains invalid characters.",
    });
  });
});
