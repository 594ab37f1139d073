import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { addressOf, endpoints, titleOf } from "../../support/service/endpoints.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { allow, type Connected, connect, registerProgram } from "../../support/sign-in/oauth.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const withCredential = endpoints.map(([, endpoint]) => endpoint).filter(({ auth }) => auth !== "none");

describe("a token that is for other endpoints", () => {
  let service: Service;
  let cast: AppWithAgent;
  let connected: Connected;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
    connected = await connect(service, cast.person);
  });
  afterAll(() => service.stop());

  it("gives access to no endpoint of the API in any header if it belongs to a connection", async () => {
    const { access, refreshToken } = connected;
    const opened: string[] = [];
    for (const endpoint of withCredential)
      for (const token of [access, refreshToken]) {
        const headers = {
          authorization: `Bearer ${token}`,
          "x-api-key": token,
          cookie: `innkeep_session=${token}`,
        };
        const { status } = await service.request(endpoint.method, addressOf(endpoint), { headers });
        if (status !== 401) opened.push(`${titleOf(endpoint)}: ${status}`);
      }
    expect(opened).toEqual([]);
  });

  it("gives access to no MCP tool if it does not belong to an agent", async () => {
    const { access, refreshToken } = connected;
    const program = await registerProgram(service);
    const code = await allow(service, cast.person, program);
    const maintainer = await service.makeToken(cast.owner, "maintainer", { scopes: ["feedback:read"] });
    const { authorization: device } = cast.device;
    const ways: Record<string, string>[] = [
      ...[refreshToken, code, maintainer, cast.key["x-api-key"], "", "sdo_", "sda_"].map((token) => ({
        authorization: `Bearer ${token}`,
      })),
      { authorization: device },
      { authorization: `Basic ${Buffer.from(`x:${access}`).toString("base64")}` },
      { authorization: access },
      { authorization: `Token ${access}` },
      { authorization: `Bearer ${access}, Bearer ${access}` },
      { authorization: `Bearer ${access} x` },
      { authorization: `Bearer ${access.toUpperCase()}` },
      { "x-api-key": access },
      cast.key,
      cast.person,
    ];
    for (const headers of ways) expect([await listTools("/mcp", headers), headers]).toEqual([401, headers]);
    expect(await listTools(`/mcp?access_token=${access}`, {})).toBe(401);
    expect(await listTools("/mcp", { authorization: `Bearer ${access}` })).toBe(200);
  });

  const listTools = async (path: string, headers: Record<string, string>): Promise<number> => {
    const accept = "application/json, text/event-stream";
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    return (await service.request("POST", path, { headers: { accept, ...headers }, body })).status;
  };

  it("results in no new tokens if it is of another kind", async () => {
    const { program, access } = connected;
    const { authorization } = cast.agent;
    for (const token of [access, authorization.slice("Bearer ".length), cast.key["x-api-key"]]) {
      const fields = { grant_type: "refresh_token", refresh_token: token, client_id: program.clientId };
      const answer = await service.request("POST", "/oauth/token", {
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString(),
      });
      expect([answer.status, answer.body]).toMatchObject([400, { error: "invalid_grant" }]);
    }
  });
});
