import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openHttpSession } from "../../mcp/support/http-session.ts";
import { readToolResult } from "../../mcp/support/tool-result.ts";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  allow,
  askForTokens,
  broughtBack,
  connect,
  consentAddress,
  decideOnProgram,
  exchangeCode,
  refresh,
  registerProgram,
  toolsStatus,
} from "../../support/sign-in/oauth.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const hour = 3_600_000;

describe("a connection of an agent", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service, { name: "Teapot" });
  });
  afterAll(() => service.stop());

  it("is allowed by a person, who sees the program and the address to which the browser continues", async () => {
    const program = await registerProgram(service, { name: "Kettle bot" });
    const page = await createBrowserWithoutScripts(service, cast.person).open(consentAddress(program));
    const text = readingOf(page);
    expect(text).toContain("Connect Kettle bot ?");
    expect(text).toContain("this computer (127.0.0.1:33418)");
    expect(text).toContain("A program on this computer");
    expect(text).toContain("Nobody has checked the name");
    expect(page.headers.get("x-frame-options")).toBe("DENY");
    expect(page.headers.get("content-security-policy")).toContain(
      "form-action 'self' http://127.0.0.1:33418;",
    );
  });

  it("redirects the browser with a code, the state and the issuer", async () => {
    const program = await registerProgram(service);
    const back = broughtBack(await decideOnProgram(service, cast.person, program));
    expect(back.get("state")).toBe("the state");
    expect(back.get("iss")).toBe(service.baseUrl);
    expect(back.get("code")).toMatch(/^[\w-]{43}$/);
  });

  it("redirects the browser with an error after a refusal", async () => {
    const program = await registerProgram(service);
    const back = broughtBack(await decideOnProgram(service, cast.person, program, { decision: "refuse" }));
    expect([back.get("error"), back.get("code")]).toEqual(["access_denied", null]);
  });

  it("has tokens that give access only to the tools, for one hour", async () => {
    const { access, program, refreshToken } = await connect(service, cast.person);
    expect(access).toMatch(/^sdo_/);
    expect(await toolsStatus(service, access)).toBe(200);
    const feedback = await submitFeedback(service, cast);
    for (const path of [`/api/v1/agent/feedback/${feedback}`, "/api/v1/console/tokens"]) {
      const headers = { authorization: `Bearer ${access}` };
      expect((await service.request("GET", path, { headers })).status).toBe(401);
    }
    expect(await toolsStatus(service, refreshToken)).toBe(401);
    service.clock.advance(hour + 1);
    expect(await toolsStatus(service, access)).toBe(401);
    const next = await refresh(service, program, refreshToken);
    expect(next.body).toMatchObject({ token_type: "Bearer", expires_in: 3_600 });
    expect(await toolsStatus(service, next.field("access_token"))).toBe(200);
  });

  it("sees only the app that the person chose", async () => {
    const other = await service.makeApp(cast.owner);
    const unseen = await submitFeedback(service, { ...cast, key: { "x-api-key": other.key } });
    const seen = await submitFeedback(service, cast);
    const { access } = await connect(service, cast.person, { decision: "allow", app: cast.appId });
    const client = await openHttpSession("2026-07-28", { baseUrl: service.baseUrl, token: access });
    const read = async (feedback: string) =>
      readToolResult(await client.callTool("read_feedback", { feedback }));
    expect((await read(seen)).isError).toBe(false);
    expect((await read(unseen)).text).toContain("belongs to another owner");
  });

  it("has no tool for proposals, and cannot propose, unless the person allowed this", async () => {
    const program = await registerProgram(service);
    const visitor = createBrowserWithoutScripts(service, cast.person);
    const page = await visitor.open(consentAddress(program, { scope: "read" }));
    const code = broughtBack(
      await visitor.send(page, "/oauth/authorize", { decision: "allow", "scope:propose": "on" }),
    ).get("code");
    const answer = await exchangeCode(service, program, code ?? "");
    expect(answer.body).toMatchObject({ scope: "read" });
    const token = answer.field("access_token");
    const client = await openHttpSession("2025-11-25", { baseUrl: service.baseUrl, token });
    const { tools } = await client.listTools();
    expect(tools).not.toContainEqual(expect.objectContaining({ name: "propose_plan" }));
    const feedback = await submitFeedback(service, cast);
    const proposing = client.callTool("propose_plan", { feedback, summary: "S", plan: "P" });
    expect(await proposing.catch(String)).not.toHaveProperty("structuredContent");
  });

  it("is listed in the console, and can be ended there immediately", async () => {
    const { access, program, refreshToken } = await connect(service, cast.person);
    const list = await service.request("GET", "/api/v1/console/tokens", { headers: cast.person });
    const { id } = newest(list.body);
    expect(list.body).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ id, kind: "oauth", label: "Test agent", scopes: ["read", "propose"] }),
      ]),
    });
    const page = await createBrowserWithoutScripts(service, cast.person).open("/console/tokens");
    expect(readingOf(page)).toContain("Test agent Connection");
    await service.request("DELETE", `/api/v1/console/tokens/${id}`, { headers: cast.person });
    expect(await toolsStatus(service, access)).toBe(401);
    expect((await refresh(service, program, refreshToken)).body).toMatchObject({ error: "invalid_grant" });
  });

  it("ends when the program revokes its token", async () => {
    const { access, program, refreshToken } = await connect(service, cast.person);
    const answer = await askForTokens(
      service,
      { token: refreshToken, client_id: program.clientId },
      "/oauth/revoke",
    );
    expect(answer.status).toBe(200);
    expect(await toolsStatus(service, access)).toBe(401);
    expect((await askForTokens(service, { token: "unknown" }, "/oauth/revoke")).status).toBe(200);
  });

  it("is recorded in the audit when it is allowed, created and ended", async () => {
    const { program, refreshToken } = await connect(service, cast.person);
    await askForTokens(service, { token: refreshToken, client_id: program.clientId }, "/oauth/revoke");
    const { body } = await service.request("GET", "/api/v1/console/audit?limit=3", { headers: cast.person });
    expect(body).toMatchObject({
      items: [{ action: "connection.end" }, { action: "connection.create" }, { action: "connection.allow" }],
    });
    const page = await createBrowserWithoutScripts(service, cast.person).open("/console/audit");
    expect(readingOf(page)).toContain("Allowed an agent to connect");
  });

  it("stores no secret", async () => {
    const program = await registerProgram(service);
    const code = await allow(service, cast.person, program);
    const answer = await exchangeCode(service, program, code);
    const again = await refresh(service, program, answer.field("refresh_token"));
    const secrets = [
      code,
      ...["access_token", "refresh_token"].flatMap((name) => [answer.field(name), again.field(name)]),
    ];
    const rows = await Promise.all(
      ["oauth_codes", "oauth_tokens", "tokens"].map((table) =>
        service.deps.database.all(`SELECT * FROM ${table}`),
      ),
    );
    for (const secret of secrets) {
      expect(JSON.stringify(rows)).not.toContain(secret);
      expect(service.logged()).not.toContain(secret);
    }
  });
});

function newest(body: unknown): { readonly id: string } {
  const items = typeof body === "object" && body !== null && "items" in body ? body.items : [];
  const last: unknown = Array.isArray(items) ? items.at(-1) : undefined;
  return { id: typeof last === "object" && last !== null && "id" in last ? String(last.id) : "" };
}
