import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";
import { eras } from "../support/clients.ts";
import { messages, newerMessage, olderMessage } from "../support/http-messages.ts";

const origin = "https://pages.example";

describe("requests to the MCP endpoint", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_CORS_ORIGINS: origin } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const post = (sending: { headers: Record<string, string>; body: unknown }, headers: object = {}) =>
    service.request("POST", "/mcp", {
      body: sending.body,
      headers: { ...sending.headers, ...cast.agent, ...headers },
    });

  it.each(eras)("return the same list of tools as over stdio, in the era %s", async (era) => {
    const answer = await post(messages[era]("tools/list"));
    expect(answer.status).toBe(200);
    expect(answer.text.match(/"name":"[a-z_]+"/g)).toContain('"name":"get_decision"');
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  it.each(eras)("need a token before everything else, in the era %s", async (era) => {
    for (const authorization of ["", "Bearer sda_wrong", "Basic eDp5", `Bearer ${cast.key["x-api-key"]}`]) {
      const answer = await post(messages[era]("tools/list"), { authorization });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toContain("Bearer");
      expect(answer.body).toMatchObject({
        jsonrpc: "2.0",
        id: null,
        error: { data: { code: "invalid_token" } },
      });
    }
  });

  it("do not accept a session of the console", async () => {
    const { headers, body } = olderMessage("tools/list");
    const answer = await service.request("POST", "/mcp", { headers: { ...headers, ...cast.person }, body });
    expect(answer.status).toBe(401);
  });

  it.each(["GET", "DELETE", "PUT"])(
    "are answered with 405 for %s, because there are no sessions",
    async (method) => {
      const answer = await service.request(method, "/mcp", {
        headers: { ...cast.agent, accept: "text/event-stream" },
      });
      expect(answer.status).toBe(405);
      expect(answer.headers.get("allow")).toBe("POST");
    },
  );

  it.each(["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "evil.example#127.0.0.1"])(
    "are refused with the forged Host %s",
    async (host) => {
      expect(await statusWithHost(service, cast, host)).toBe(403);
    },
  );

  it.each(["localhost:4700", "127.0.0.1", "[::1]:80"])(
    "can have the Host %s of this machine",
    async (host) => {
      expect(await statusWithHost(service, cast, host)).toBe(200);
    },
  );

  it.each(["https://evil.example", "null", "http://127.0.0.1:1"])(
    "are refused from a page of the origin %s",
    async (foreign) => {
      expect((await post(olderMessage("tools/list"), { origin: foreign })).status).toBe(403);
    },
  );

  it("are allowed from a listed origin, whose page can read the answer and send the headers of the protocol", async () => {
    expect((await post(olderMessage("tools/list"), { origin })).status).toBe(200);
    const preflight = await service.request("OPTIONS", "/mcp", { headers: { origin } });
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Mcp-Protocol-Version");
    expect(preflight.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
  });

  it.each([
    ["a list of messages", JSON.stringify([olderMessage("tools/list").body]), -32600],
    ["nothing", "", -32600],
    ["a number", "1", -32600],
    ["broken JSON", "{", -32700],
    ["the same key twice", '{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}', -32700],
    ["deep nesting", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`, -32700],
  ])("are refused with this body: %s", async (_, body, code) => {
    const headers = { ...olderMessage("ping").headers, "content-type": "application/json" };
    const answer = await post({ headers, body });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ jsonrpc: "2.0", id: null, error: { code } });
    expect(answer.field("error.message")).not.toMatch(/\.\.|`issues`/);
  });

  it.each([1, 10])(
    "are refused above 1 MiB, and the next request is served, also after %i MiB",
    async (size) => {
      const { headers, body } = olderMessage("ping", { filler: "x".repeat(size * 1_048_576) });
      const answer = await post({ headers, body });
      expect(answer.status).toBe(413);
      expect(answer.body).toMatchObject({ jsonrpc: "2.0", id: null, error: { code: -32000 } });
      expect((await post(olderMessage("ping"))).status).toBe(200);
    },
  );

  it("are refused with another media type", async () => {
    const { headers } = olderMessage("ping");
    const typed = { ...headers, "content-type": "text/plain" };
    expect((await post({ headers: typed, body: "{}" })).status).toBe(415);
  });

  it("are refused with an unknown version", async () => {
    const { headers, body } = newerMessage("tools/list");
    expect((await post({ headers: { ...headers, "mcp-protocol-version": "2099-01-01" }, body })).status).toBe(
      400,
    );
  });

  it("get a separate answer each if 50 clients send them at the same time", async () => {
    const sent = Array.from({ length: 50 }, (_, at) => ({ ...olderMessage("ping"), at }));
    const answers = await Promise.all(
      sent.map(({ headers, body, at }) => post({ headers, body: Object.assign({}, body, { id: `n${at}` }) })),
    );
    for (const [at, { text }] of answers.entries()) expect(text).toContain(`"id":"n${at}"`);
  });

  it("are counted and logged as requests to the endpoints that the tools call", async () => {
    await post(
      olderMessage("tools/call", {
        name: "get_decision",
        arguments: { run_id: "b5d1c0de-0000-4000-8000-000000000001" },
      }),
    );
    expect(service.logged()).toContain("/api/v1/agent/runs/:runId");
    expect(service.logged()).not.toContain(cast.agent.authorization);
  });
});

describe("a server whose MCP endpoint is turned off", () => {
  it("answers 404 at /mcp", async () => {
    const service = await startService({ environment: { INNKEEP_MCP: "off" } });
    const cast = await makeAppWithAgent(service);
    const { headers, body } = olderMessage("tools/list");
    const answer = await service.request("POST", "/mcp", { headers: { ...headers, ...cast.agent }, body });
    await service.stop();
    expect(answer.status).toBe(404);
  });
});

/** `fetch` does not let a test choose the Host. */
function statusWithHost({ baseUrl }: Service, { agent }: AppWithAgent, host: string): Promise<number> {
  const { headers, body } = olderMessage("tools/list");
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      `${baseUrl}/mcp`,
      { method: "POST", headers: { ...headers, ...agent, host, "content-type": "application/json" } },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      },
    );
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
