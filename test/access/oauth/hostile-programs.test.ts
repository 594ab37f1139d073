import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  allow,
  consentAddress,
  decideOnProgram,
  exchangeCode,
  registerProgram,
} from "../../support/sign-in/oauth.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

describe("a hostile program", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const register = (body: unknown) => service.request("POST", "/oauth/register", { body });

  it.each(["\u0000", "b5d1c0de\u0000", "x".repeat(400)])(
    "cannot request with the client id %j",
    async (id) => {
      const program = { ...(await registerProgram(service)), clientId: id };
      const answer = await createBrowserWithoutScripts(service, cast.person).open(consentAddress(program));
      expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
      expect(readingOf(answer)).toContain("not registered on this server");
    },
  );

  it.each([
    ["NUL", "Ket\u0000tle"],
    ["half a character", "Kettle \ud83e"],
    ["a character cut in half", `${"x".repeat(99)}\u{1fad6}`],
    ["line breaks and codes of terminals", "Kettle\r\n\u001b[31m"],
    ["marks of direction", "Kettle \u202e\u2066tob"],
    ["HTML", "<script>alert(1)</script>"],
    ["10,000 characters", "k".repeat(10_000)],
    ["nothing visible", "\u0000\u0001 "],
  ])("can be allowed and refused if its name contains %s", async (_, name) => {
    const program = await registerProgram(service, { name });
    const code = await allow(service, cast.person, program);
    const answer = await exchangeCode(service, program, code);
    expect(answer.status).toBe(200);
    const refused = await decideOnProgram(service, cast.person, program, { decision: "refuse" });
    expect(refused.headers.get("location")).toContain("error=access_denied");
  });

  it.each([
    ["an object that is no text", [{ toString: 1, valueOf: 1 }]],
    ["a number", [7]],
    ["a list in a list", [["https://agent.example/back"]]],
    ["half a character", ["https://agent.example/\ud83e"]],
    ["a directive in its host", ["https://a.example;script-src/x"]],
    ["an encoded directive in its host", ["https://a.example%3bsandbox/x"]],
    ["a second policy in its host", ["https://a.example,x/x"]],
    ["every host", ["https://*/x"]],
  ])("cannot register %s as its address", async (_, uris) => {
    const answer = await register({ redirect_uris: uris });
    expect([answer.status, answer.body]).toMatchObject([400, { error: "invalid_redirect_uri" }]);
  });

  it("cannot change the name in its document while a person reads the consent page", async () => {
    const registered = await registerProgram(service);
    const program = { ...registered, clientId: "https://agent.example/client.json" };
    const document = vi.spyOn(service.deps, "readClientDocument");
    const say = (name: unknown) => document.mockResolvedValue({ name, redirects: [program.redirect] });
    say("Kettle bot");
    const visitor = createBrowserWithoutScripts(service, cast.person);
    const page = await visitor.open(consentAddress(program));
    say("Backup of all feedback");
    const again = await visitor.send(page, "/oauth/authorize", { decision: "allow" });
    expect([again.status, again.headers.get("location")]).toEqual([409, null]);
    expect(readingOf(again)).toContain("has changed its name");
    expect(readingOf(again)).toContain("Backup of all feedback");
    const allowed = await visitor.send(again, "/oauth/authorize", { decision: "allow" });
    expect(allowed.headers.get("location")).toContain("code=");
    document.mockRestore();
  });

  it.each([
    [7, "agent.example"],
    [" ", "agent.example"],
    [`${"x".repeat(99)}\u{1fad6}`, `${"x".repeat(99)}\u{1fad6}`],
    ["Kettle\u0000 \ud83e", "Kettle"],
  ])("has with the name %j in its document the shown name %j", async (name, shown) => {
    const registered = await registerProgram(service);
    const program = { ...registered, clientId: "https://agent.example/client.json" };
    const document = vi.spyOn(service.deps, "readClientDocument");
    document.mockResolvedValue({ name, redirects: [program.redirect] });
    const page = await createBrowserWithoutScripts(service, cast.person).open(consentAddress(program));
    expect(readingOf(page)).toContain(`Connect ${shown} ?`);
    const code = await allow(service, cast.person, program);
    expect((await exchangeCode(service, program, code)).status).toBe(200);
    document.mockRestore();
  });

  it("cannot register lists that are nested thousands of levels deep", async () => {
    const deep = "[".repeat(15_000) + "]".repeat(15_000);
    const answer = await service.request("POST", "/oauth/register", {
      headers: { "content-type": "application/json" },
      body: `{"redirect_uris":${deep}}`,
    });
    expect(answer.status).toBe(400);
  });
});
