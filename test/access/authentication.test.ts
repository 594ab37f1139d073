import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mintCredential } from "../../server/secrets/secrets.ts";
import { isMutation } from "../../src/contract/endpoint.ts";
import { databases } from "../support/database/databases.ts";
import { addressOf, endpoints, titleOf } from "../support/service/endpoints.ts";
import type { Answer } from "../support/service/request.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

/** One endpoint that reads data and one that changes data. */
const withAuth = (auth: string) => {
  const all = endpoints.map(([, endpoint]) => endpoint).filter((endpoint) => endpoint.auth === auth);
  const some = [all.find(({ method }) => method === "GET"), all.find(isMutation)];
  return some.flatMap((endpoint) => (endpoint ? [[titleOf(endpoint), endpoint] as const] : []));
};

/** An answer without the parts that differ in every answer. */
const plain = ({ status, headers, text }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !["x-request-id", "date"].includes(name)),
});

describe.each(databases)("authentication on $name", (engine) => {
  let service: Service;
  let cast: AppWithAgent;
  let revokedKey: string;
  let revokedToken: string;
  beforeAll(async () => {
    service = await startService({ engine });
    cast = await makeAppWithAgent(service);
    revokedKey = await makeRevoked(`apps/${cast.appId}/keys`, {}, "key");
    revokedToken = await makeRevoked("tokens", { kind: "agent", label: "ci" }, "token");
  });
  afterAll(() => service.stop());

  const inConsole = (method: string, path: string, body?: object) =>
    service.request(method, `/api/v1/console/${path}`, { headers: cast.person, body });
  async function makeRevoked(path: string, body: object, field: string) {
    const made = await inConsole("POST", path, body);
    expect(await inConsole("DELETE", `${path}/${made.field("id")}`)).toMatchObject({ status: 204 });
    return made.field(field);
  }

  describe.each(withAuth("appKey"))("with the credential %s", (_, endpoint) => {
    const ask = (headers: Record<string, string>, more = "") =>
      service.request(endpoint.method, addressOf(endpoint) + more, { headers });

    it("gives the same answer, byte for byte, for missing, malformed, unknown and revoked keys", async () => {
      const key = cast.key["x-api-key"];
      const bad = [
        ...["", " ", "sdk_", "null", "sdk_short", "é", "x".repeat(5_000), mintCredential("sdk_"), revokedKey],
        ...[`${key}x`, key.slice(0, -1), key.toUpperCase(), `"${key}"`, `Bearer ${key}`, `${key}, ${key}`],
        cast.agent.authorization.slice(7),
      ].map((text) => ({ "x-api-key": text }));
      const elsewhere = [{ authorization: `Bearer ${key}` }, cast.agent, { cookie: cast.person.cookie }];
      const expected = plain(await ask({}));
      for (const headers of [...bad, ...elsewhere]) expect(plain(await ask(headers))).toEqual(expected);
      expect(plain(await ask({}, `?x-api-key=${key}&key=${key}`))).toEqual(expected);
    });
  });

  describe.each(withAuth("agentToken"))("with the credential %s", (_, endpoint) => {
    const ask = (headers: Record<string, string>) =>
      service.request(endpoint.method, addressOf(endpoint), { headers });

    it("gives the same answer, byte for byte, for missing, malformed, unknown and revoked tokens, and for tokens of other kinds", async () => {
      const token = cast.agent.authorization.slice(7);
      const maintainer = await service.makeToken(cast.owner, "maintainer", {
        scopes: ["feedback:read", "feedback:write"],
      });
      const bad = [
        ...[
          "",
          "Bearer",
          "Bearer ",
          token,
          `Basic ${token}`,
          `Token ${token}`,
          `Bearer ${token} x`,
          `Bearer: ${token}`,
        ],
        ...[
          `${token}x`,
          token.slice(0, -1),
          "sda_",
          "x".repeat(5_000),
          mintCredential("sda_"),
          revokedToken,
          maintainer,
        ].map((text) => `Bearer ${text}`),
      ];
      const expected = plain(await ask({}));
      for (const authorization of bad) expect(plain(await ask({ authorization }))).toEqual(expected);
      expect(plain(await ask(cast.key))).toEqual(expected);
      expect(plain(await ask({ cookie: cast.person.cookie }))).toEqual(expected);
    });
  });

  it("comes first: before it, the server does not check whether a body is wrong, too large or of a wrong type", async () => {
    const path = "/api/v1/feedback/remote";
    const wrong = [
      {},
      { body: "{", headers: { "content-type": "application/json" } },
      { body: "x".repeat(2_000_000) },
    ];
    const statuses = wrong.map(async (sending) => (await service.request("POST", path, sending)).status);
    expect(await Promise.all(statuses)).toEqual([401, 401, 401]);
    expect(await service.request("PATCH", "/api/v1/faqs/remote/seven", {})).toMatchObject({ status: 401 });
  });
});
