import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  allow,
  askForTokens,
  broughtBack,
  type Changes,
  connect,
  consentAddress,
  decideOnProgram,
  exchangeCode,
  type Program,
  refresh,
  registerProgram,
  toolsStatus,
} from "../../support/sign-in/oauth.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

describe("an attack on agent connections", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const opened = (program: Program, changes: Changes) =>
    createBrowserWithoutScripts(service, cast.person).open(consentAddress(program, changes));

  it.each([
    "http://127.0.0.1:33418/callback/",
    "http://127.0.0.1:33418/callback?x=1",
    "http://127.0.0.1:33418/callback#x",
    "http://127.0.0.1:33418/callback%2f",
    "http://127.0.0.1:33418/Callback",
    "https://127.0.0.1:33418/callback",
    "http://localhost:33418/callback",
    "http://127.0.0.1.evil.example:33418/callback",
    "http://user@127.0.0.1:33418/callback",
    "http://127.0.0.1:33418@evil.example/callback",
    "http://evil.example/callback",
    "javascript://127.0.0.1/%0aalert(1)",
    "",
  ])("cannot make the server redirect the browser to %s", async (redirect) => {
    const program = await registerProgram(service);
    const answer = await opened(program, { redirect_uri: redirect });
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
    expect(readingOf(answer)).toContain("unknown address");
  });

  it("cannot change the address of a program on this computer, except its port", async () => {
    const program = await registerProgram(service);
    const answer = await opened(program, { redirect_uri: "http://127.0.0.1:50001/callback" });
    expect(answer.status).toBe(200);
  });

  it.each<[string, Changes]>([
    ["no challenge", { code_challenge: undefined }],
    ["no method", { code_challenge_method: undefined }],
    ["the method plain", { code_challenge_method: "plain" }],
    ["another kind of answer", { response_type: "token" }],
    ["another resource", { resource: "https://other.example/mcp" }],
    ["an unknown program", { client_id: "b5d1c0de-0000-4000-8000-000000000001" }],
  ])("is refused on a page with %s", async (_, changes) => {
    const answer = await opened(await registerProgram(service), changes);
    expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
  });

  it.each<[string, Changes, number, string]>([
    ["no verifier", { code_verifier: undefined }, 400, "invalid_grant"],
    ["another verifier", { code_verifier: "v".repeat(43) }, 400, "invalid_grant"],
    ["an unknown program", { client_id: "b5d1c0de-0000-4000-8000-000000000001" }, 401, "invalid_client"],
    ["the document of another program", { client_id: "https://a.example/x" }, 400, "invalid_grant"],
    ["another redirect", { redirect_uri: "http://127.0.0.1:33418/other" }, 400, "invalid_grant"],
    ["no redirect", { redirect_uri: undefined }, 400, "invalid_grant"],
    ["no code", { code: undefined }, 400, "invalid_request"],
    ["no grant", { grant_type: undefined }, 400, "invalid_request"],
    ["no program", { client_id: undefined }, 400, "invalid_request"],
  ])("gets no token with %s", async (_, changes, status, error) => {
    const program = await registerProgram(service);
    const answer = await exchangeCode(service, program, await allow(service, cast.person, program), changes);
    expect([answer.status, answer.body]).toMatchObject([status, { error }]);
  });

  it("gets no token for another resource, and no token with a repeated field", async () => {
    const program = await registerProgram(service);
    const code = await allow(service, cast.person, program);
    const other = await exchangeCode(service, program, code, { resource: "https://other.example/mcp" });
    expect(other.body).toMatchObject({ error: "invalid_target" });
    const twice = await service.request("POST", "/oauth/token", {
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `grant_type=authorization_code&client_id=a&client_id=b&code=${code}`,
    });
    expect(twice.body).toMatchObject({ error: "invalid_request" });
  });

  it("ends the connection if it uses a code twice", async () => {
    const program = await registerProgram(service);
    const code = await allow(service, cast.person, program);
    const first = await exchangeCode(service, program, code);
    expect((await exchangeCode(service, program, code)).body).toMatchObject({ error: "invalid_grant" });
    expect(await toolsStatus(service, first.field("access_token"))).toBe(401);
  });

  it("gets at most one connection if ten programs use one code at the same time", async () => {
    const program = await registerProgram(service);
    const code = await allow(service, cast.person, program);
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchangeCode(service, program, code)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  });

  it("gets nothing with a code after five minutes", async () => {
    const program = await registerProgram(service);
    const code = await allow(service, cast.person, program);
    service.clock.advance(300_001);
    expect((await exchangeCode(service, program, code)).status).toBe(400);
  });

  it("is not assumed if ten refreshes arrive at the same time: all get the same tokens", async () => {
    const { program, refreshToken } = await connect(service, cast.person);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => refresh(service, program, refreshToken)),
    );
    expect(new Set(answers.map((answer) => answer.field("refresh_token"))).size).toBe(1);
    expect(await toolsStatus(service, answers[0]?.field("access_token") ?? "")).toBe(200);
  });

  it("ends the connection if it uses a refresh token again after a minute", async () => {
    const { program, refreshToken } = await connect(service, cast.person);
    const next = await refresh(service, program, refreshToken);
    service.clock.advance(59_000);
    expect((await refresh(service, program, refreshToken)).field("refresh_token")).toBe(
      next.field("refresh_token"),
    );
    service.clock.advance(2_000);
    expect((await refresh(service, program, refreshToken)).status).toBe(400);
    expect(await toolsStatus(service, next.field("access_token"))).toBe(401);
    expect((await refresh(service, program, next.field("refresh_token"))).status).toBe(400);
  });

  it("cannot refresh as another program or with an access token", async () => {
    const { program, refreshToken, access } = await connect(service, cast.person);
    const other = await registerProgram(service);
    expect((await refresh(service, other, refreshToken)).status).toBe(400);
    expect((await refresh(service, program, access)).status).toBe(400);
    expect((await refresh(service, program, refreshToken)).status).toBe(200);
  });

  it("cannot use tokens of other kinds at the MCP endpoint", async () => {
    const { device, key } = cast;
    const maintainer = await service.makeToken(cast.owner, "maintainer", { scopes: ["feedback:read"] });
    for (const token of [device.authorization.slice(7), key["x-api-key"], maintainer, "sdo_", "sdo_x"])
      expect(await toolsStatus(service, token)).toBe(401);
  });

  it("cannot send the consent from another site or for another account", async () => {
    const program = await registerProgram(service);
    const foreign = createBrowserWithoutScripts(service, { ...cast.person, origin: "https://evil.example" });
    const page = await foreign.open(consentAddress(program));
    expect((await foreign.send(page, "/oauth/authorize", { decision: "allow" })).status).toBe(403);
    const stranger = await makeAppWithAgent(service);
    const values = { decision: "allow", account: stranger.owner.id };
    const answer = await decideOnProgram(service, cast.person, program, values);
    expect([answer.status, answer.headers.get("location")]).toEqual([409, null]);
  });

  it("cannot choose an app of somebody else", async () => {
    const stranger = await makeAppWithAgent(service);
    const program = await registerProgram(service);
    const answer = await decideOnProgram(service, cast.person, program, {
      decision: "allow",
      app: stranger.appId,
    });
    expect([answer.status, answer.headers.get("location")]).toEqual([404, null]);
  });

  it("cannot use a token to give the consent of a person", async () => {
    const program = await registerProgram(service);
    const answer = await decideOnProgram(service, cast.person, program);
    expect(broughtBack(answer).get("code")).not.toBeNull();
    const bearer = createBrowserWithoutScripts(service, cast.agent);
    const page = await bearer.open(consentAddress(program));
    expect(page.headers.get("location")).toContain("/tavern/sign-in?to=");
  });

  it("by a person who is not signed in leads to the sign-in, without a request for the document of the program", async () => {
    const nobody = createBrowserWithoutScripts(service);
    const program = await registerProgram(service);
    const page = await nobody.open(consentAddress({ ...program, clientId: "https://unread.example/client" }));
    expect(page.headers.get("location")).toContain("/tavern/sign-in?to=");
    expect(readingOf(await nobody.follow(page))).toContain("what the program that opened this page may do");
  });

  it.each([
    "https://127.0.0.1/client.json",
    "https://[::1]/client.json",
    "https://169.254.169.254/latest",
    "https://10.0.0.1/x",
    "https://localhost/client.json",
    "https://example.com",
    "https://example.com:8443/client",
    "https://user@example.com/client",
    "https://example.com/a/../client",
    "https://0x7f000001/client",
  ])("cannot make the server read %s", async (address) => {
    const program = await registerProgram(service);
    const answer = await opened(program, { client_id: address });
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toMatch(/private network|not an https address|cannot be reached/);
  });

  it.each([
    [["ftp://example.com/x"]],
    [["http://example.com/x"]],
    [["javascript:alert(1)"]],
    [["https://example.com/x#y"]],
    [["https://user@example.com/x"]],
    [["https://example.com/x?code=1"]],
    [["tavern://back"]],
    [[]],
    [Array.from({ length: 11 }, (_, at) => `https://example.com/${at}`)],
  ])("cannot register the addresses %j", async (redirects) => {
    const answer = await service.request("POST", "/oauth/register", { body: { redirect_uris: redirects } });
    expect([answer.status, answer.body]).toMatchObject([400, { error: "invalid_redirect_uri" }]);
  });

  it("cannot request tokens with another grant type", async () => {
    const answer = await askForTokens(service, { grant_type: "password", client_id: "x" });
    expect(answer.body).toMatchObject({ error: "unsupported_grant_type" });
  });
});
