import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  broughtBack,
  consentAddress,
  exchangeCode,
  type Program,
  registerProgram,
} from "../../support/sign-in/oauth.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/oauth/authorize";

describe("a forged consent", () => {
  let service: Service;
  let cast: AppWithAgent;
  let program: Program;
  let fields: Record<string, string>;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
    program = await registerProgram(service);
    const page = await createBrowserWithoutScripts(service, cast.person).open(consentAddress(program));
    fields = { ...fieldsOf(formOf(page, path)), decision: "allow" };
  });
  afterAll(() => service.stop());

  const post = (values: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
    service.request("POST", path, {
      headers: {
        accept: "text/html",
        "content-type": "application/x-www-form-urlencoded",
        ...cast.person,
        ...headers,
      },
      body: new URLSearchParams(values).toString(),
    });
  const codes = () => service.deps.database.all("SELECT client_id FROM oauth_codes");

  const refusedWithoutCode = async (answer: Answer, statuses: readonly number[]) => {
    expect(statuses).toContain(answer.status);
    expect(answer.headers.get("location") ?? "").not.toContain("code=");
    expect(await codes()).toEqual([]);
  };

  it.each<[string, Record<string, string>]>([
    ["a page of another site", { origin: "https://evil.example" }],
    ["a page in a frame without an origin", { origin: "null" }],
    ["a page of another port", { origin: "http://127.0.0.1:1" }],
    ["a browser that names another site", { origin: "", "sec-fetch-site": "cross-site" }],
  ])("is refused from %s", async (_, headers) => {
    await refusedWithoutCode(await post(fields, headers), [403]);
  });

  it("is refused as a link, because only the form can allow", async () => {
    const query = `${consentAddress(program)}&${new URLSearchParams({ decision: "allow", once: "1" })}`;
    const answer = await service.request("GET", query, { headers: { accept: "text/html", ...cast.person } });
    await refusedWithoutCode(answer, [200]);
  });

  it("is refused as JSON or plain text, which other sites can send without a preflight request", async () => {
    for (const type of ["application/json", "text/plain", "multipart/form-data; boundary=x"])
      await refusedWithoutCode(await post(fields, { "content-type": type }), [400, 415]);
  });

  it.each<[string, Record<string, string | undefined>, number[]]>([
    ["the account", { account: undefined }, [409]],
    ["the name of the program", { program: undefined }, [409]],
    ["the key of the form", { once: undefined }, [400]],
    ["the request", { asked: undefined }, [400]],
    ["the decision", { decision: undefined }, [400]],
  ])("is refused without %s", async (_, changes, statuses) => {
    const left = Object.entries({ ...fields, ...changes }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    await refusedWithoutCode(await post(Object.fromEntries(left)), statuses);
  });

  it("is refused from a person who has signed out", async () => {
    const person = await service.signIn(cast.owner);
    const page = await createBrowserWithoutScripts(service, person).open(consentAddress(program));
    await service.request("DELETE", "/api/v1/console/session", { headers: person });
    const values = { ...fieldsOf(formOf(page, path)), decision: "allow" };
    const answer = await post(values, person);
    await refusedWithoutCode(answer, [303]);
    expect(answer.headers.get("location")).toContain("/sign-in?to=");
  });

  it.each<[string, string, string]>([
    ["the redirect", "redirect_uri", "https://evil.example/"],
    ["the challenge", "code_challenge", "short"],
    ["the program", "client_id", "b5d1c0de-0000-4000-8000-000000000001"],
  ])("is refused if %s is wrong", async (_, name, value) => {
    const asked = new URLSearchParams(fields.asked);
    asked.set(name, value);
    await refusedWithoutCode(await post({ ...fields, asked: asked.toString() }), [400]);
  });

  it.each(["redirect_uri", "client_id", "code_challenge", "state", "scope", "resource", "response_type"])(
    "is refused with a second %s",
    async (name) => {
      const asked = `${fields.asked}&${name}=x&${name}=y`;
      await refusedWithoutCode(await post({ ...fields, asked }), [400]);
    },
  );

  it("gets only the requested scopes, whatever the form contains", async () => {
    const asked = new URLSearchParams(fields.asked);
    asked.set("scope", "read");
    const all = { "scope:propose": "on", "scope:runs:work": "on", "scope:admin": "on" };
    const answer = await post({ ...fields, ...all, asked: asked.toString() });
    const code = broughtBack(answer).get("code") ?? "";
    expect((await exchangeCode(service, program, code)).body).toMatchObject({ scope: "read" });
  });
});
