import { get } from "node:http";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { request } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";

const base = "https://inn.example/under/here";

describe("the OAuth metadata of a server whose address has a path", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_BASE_URL: base } });
  });
  afterAll(() => service.stop());

  const ownUrl = () => `http://127.0.0.1:${service.deps.settings.port}`;
  const bodyAt = (path: string) => bodyFrom(`${ownUrl()}${path}`);

  it("is named in the refusal of a request without a token", async () => {
    const { headers } = await request(ownUrl(), "POST", "/mcp");
    const named = /resource_metadata="([^"]+)"/.exec(headers.get("www-authenticate") ?? "")?.[1];
    expect(named).toBe(`${base}/.well-known/oauth-protected-resource/mcp`);
  });

  it.each([
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource/under/here",
    "/.well-known/oauth-protected-resource/under/here/mcp",
    "/under/here/.well-known/oauth-protected-resource/mcp",
    "/mcp/.well-known/oauth-protected-resource",
  ])("describes the MCP endpoint at %s", async (path) => {
    expect(await bodyAt(path)).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] });
  });

  it.each(
    ["oauth-authorization-server", "openid-configuration"].flatMap((name) => [
      `/.well-known/${name}`,
      `/.well-known/${name}/under/here`,
      `/under/here/.well-known/${name}`,
      `/.well-known/${name}/mcp`,
    ]),
  )("describes at %s how to get tokens, with addresses only from the settings", async (path) => {
    const body = await bodyAt(path);
    expect(body).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}/oauth/authorize`,
      token_endpoint: `${base}/oauth/token`,
      code_challenge_methods_supported: ["S256"],
      authorization_response_iss_parameter_supported: true,
    });
    expect(JSON.stringify(body)).not.toContain("evil.example");
  });

  it("cannot help a program that is not registered: it gets an error and no redirect", async () => {
    const path = `/oauth/authorize?${new URLSearchParams({ client_id: "forgotten", response_type: "code" })}`;
    const ask = (accept: string) => request(ownUrl(), "GET", path, { headers: { accept } });
    const answer = await ask("application/json");
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        error: "invalid_client",
        error_description: expect.stringContaining("client_id is not registered on this server"),
      },
    ]);
    const page = await ask("text/html");
    expect([page.status, page.headers.get("location")]).toEqual([400, null]);
    expect(page.text).toContain("This connection is not possible");
    expect(page.text).toContain("remove the server and add it again");
  });

  it("does not exist if the MCP endpoint is turned off", async () => {
    const off = await startService({ environment: { INNKEEP_MCP: "off" } });
    const paths = ["/.well-known/oauth-authorization-server", "/oauth/authorize"];
    const statuses = await Promise.all(paths.map(async (path) => (await off.request("GET", path)).status));
    await off.stop();
    expect(statuses).toEqual([404, 404]);
  });
});

/** With a forged Host, which `fetch` does not send. */
const bodyFrom = (address: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    get(address, { headers: { host: "evil.example" } }, (answer) => resolve(json(answer))).on(
      "error",
      reject,
    );
  });
