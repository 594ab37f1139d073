import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
} from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { authorizeAddress, decide, newDevice } from "../../support/sign-in/device-sign-in.ts";
import { hostileRedirects } from "../../support/sign-in/hostile-redirects.ts";

const target = "https://tavern.example/back";
const hostile = hostileRedirects(target);

describe("the redirect address of GET /tavern/authorize", () => {
  let service: Service;
  let person: { cookie: string; origin: string };
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_REDIRECT_URL: target } });
    person = await service.signIn(await service.makeUser());
  });
  afterAll(() => service.stop());

  const open = (query: string, headers: Record<string, string> = person) =>
    service.request("GET", `/tavern/authorize?${query}`, { headers });
  const asking = async () => {
    const { deviceId, challenge } = await newDevice();
    return `device=${deviceId}&name=Pixel&challenge=${challenge}`;
  };
  const codes = async () => (await service.deps.database.all("SELECT 1 AS one FROM sign_in_codes")).length;

  it("is refused with 400 bad_redirect for every hostile address, and the answer does not repeat it", async () => {
    for (const [fault, given] of hostile) {
      const answer = await open(`${await asking()}&redirect=${encodeURIComponent(given)}`);
      const shown = `${fault}: ${JSON.stringify(given)}`;
      expect.soft(answer, shown).toMatchObject({ status: 400, body: { code: "bad_redirect" } });
      expect.soft(answer.headers.get("location"), shown).toBe(null);
      if (given.length > 12) expect.soft(answer.text, shown).not.toContain(given);
    }
  });

  it("is also refused in the form before a code is created", async () => {
    const visitor = createBrowserWithoutScripts(service, person);
    const page = await visitor.open(authorizeAddress(await newDevice()));
    const { asked = "" } = fieldsOf(formOf(page, "/tavern/authorize"));
    const before = await codes();
    for (const [, given] of hostile) {
      const bent = new URLSearchParams(asked);
      bent.set("redirect", given);
      const values = { asked: bent.toString(), decision: "approve" };
      const answer = await visitor.send(page, "/tavern/authorize", values);
      expect([given, answer.status, answer.headers.get("location")]).toEqual([given, 400, null]);
    }
    expect(await codes()).toBe(before);
  });

  it.each([
    "tavern://",
    "tavern://x/y",
    "tavern://x/y?z=%20",
    "innkeeptavern://",
    "innkeeptavern://x/y",
    target,
  ])("can be %s", async (given) => {
    const answer = await decide(service, person, await newDevice(), { redirect: given });
    expect(answer.status).toBe(303);
    const joint = given.includes("?") ? "&" : "?";
    expect(answer.headers.get("location")).toMatch(
      new RegExp(`^${(given + joint).replace(/[?.]/g, "\\$&")}code=[\\w-]{43}$`),
    );
  });

  it.each<[string, string]>([
    ["missing", ""],
    ["given twice", "redirect=tavern://x&redirect=tavern://x"],
    ["given twice, one hostile", "redirect=tavern://x&redirect=https://evil.example"],
    ["given as a list", "redirect[]=tavern://x"],
  ])("is refused if it is %s", async (_, redirect) => {
    expect(await open(`${await asking()}&${redirect}`)).toMatchObject({
      status: 400,
      body: { code: "bad_redirect" },
    });
  });

  it("is checked first, before the other parameters and before the session", async () => {
    expect((await open("redirect=https://evil.example&challenge=x")).field("code")).toBe("bad_redirect");
    expect((await open("redirect=https://evil.example", {})).field("code")).toBe("bad_redirect");
  });

  it("is refused for a browser with a page that does not link to it", async () => {
    const answer = await open("redirect=https://evil.example/trap", { ...person, accept: "text/html" });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([400, "text/html; charset=utf-8"]);
    expect(answer.text).toContain("This sign-in would continue at an unknown address");
    expect(answer.text).not.toContain("evil.example");
  });

  it("is refused if it is the https address and the deployment has none", async () => {
    const bare = await startService({ environment: { INNKEEP_BASE_URL: "http://innkeep.test" } });
    const path = `/tavern/authorize?redirect=${encodeURIComponent("http://innkeep.test/tavern/code")}`;
    const { port } = bare.deps.settings;
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    expect([answer.status, await answer.json()]).toMatchObject([400, { code: "bad_redirect" }]);
    await bare.stop();
  });
});
