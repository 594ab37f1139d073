import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { authorizePath } from "../../../src/contract/sign-in.ts";
import {
  createBrowserWithoutScripts,
  fieldsOf,
  formOf,
} from "../../support/browser/browser-without-scripts.ts";
import { faultyPaths } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  authorizeAddress,
  codeOf,
  decide,
  exchange,
  type NewDevice,
  newDevice,
} from "../../support/sign-in/device-sign-in.ts";

describe("the page /tavern/authorize", () => {
  let service: Service;
  let user: { id: string; email: string };
  let person: { cookie: string; origin: string };
  let device: NewDevice;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    user = await service.makeUser();
    person = await service.signIn(user);
  });
  beforeEach(async () => {
    device = await newDevice();
  });
  afterAll(() => service.stop());

  const open = (query: Record<string, string>, headers: Record<string, string> = person) =>
    service.request("GET", `${authorizePath}?${new URLSearchParams(query)}`, { headers });
  const whole = () => ({
    redirect: "tavern://x",
    device: device.deviceId,
    name: "Pixel 9",
    challenge: device.challenge,
  });
  const liveCodes = () =>
    service.deps.database.all(
      "SELECT user_id FROM sign_in_codes WHERE device_id = ? AND replaced_at IS NULL",
      device.deviceId,
    );

  it.each([
    ["device", { device: "" }],
    ["device", { device: "d".repeat(201) }],
    ["name", { name: " " }],
    ["challenge", { challenge: "" }],
    ["challenge", { challenge: "a".repeat(42) }],
    ["challenge", { challenge: "a".repeat(44) }],
    ["challenge", { challenge: `${"a".repeat(42)}=` }],
    ["challenge", { challenge: `${"a".repeat(42)}+` }],
    ["state", { state: "s".repeat(1_001) }],
  ])("refuses the wrong parameter %s before the sign-in: %j", async (field, wrong) => {
    expect(faultyPaths(await open({ ...whole(), ...wrong }, {}))).toEqual([field]);
  });

  it("names all missing parameters and all repeated parameters in one answer", async () => {
    expect(faultyPaths(await open({ redirect: "tavern://x" }))).toEqual(["challenge", "device", "name"]);
    const twice = `${authorizeAddress(device)}&name=Other&challenge=${device.challenge}`;
    expect(faultyPaths(await service.request("GET", twice, { headers: person }))).toEqual([
      "challenge",
      "name",
    ]);
  });

  it("redirects a person who is not signed in to the sign-in page, and then back to the same request", async () => {
    const answer = await open({ ...whole(), state: "s 1" }, {});
    expect(answer.status).toBe(303);
    const to = new URL(answer.headers.get("location") ?? "", service.baseUrl);
    expect(to.pathname).toBe("/tavern/sign-in");
    const back = new URL(to.searchParams.get("to") ?? "", service.baseUrl);
    expect(Object.fromEntries(back.searchParams)).toEqual({ ...whole(), state: "s 1" });
  });

  it("accepts only a session, because no bearer token can approve", async () => {
    const token = await service.makeToken(user, "maintainer", { scopes: ["testing:manage"] });
    for (const headers of [{ authorization: `Bearer ${token}` }, await service.makeDevice(user)])
      expect((await open(whole(), headers)).status).toBe(303);
  });

  it("creates a code only after the person approves, and the code belongs to the person and the device", async () => {
    await open(whole());
    expect(await liveCodes()).toEqual([]);
    const answer = await decide(service, person, device);
    expect(await liveCodes()).toEqual([{ user_id: user.id }]);
    expect((await exchange(service, device, codeOf(answer))).status).toBe(201);
  });

  it("asks each time, even for a device that was approved before", async () => {
    await exchange(service, device, codeOf(await decide(service, person, device)));
    const page = await open(whole());
    expect([page.status, page.text.includes("Approve")]).toEqual([200, true]);
  });

  it("answers Approve with 303 and the code, and keeps the query of the redirect address and the state", async () => {
    const redirect = "tavern://x/y?a=%7E&b=c+d";
    const answer = await decide(service, person, device, { redirect, state: "é&=#\r\n+ 1" });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe(
      `${redirect}&code=${codeOf(answer)}&state=%C3%A9%26%3D%23%0D%0A%2B%201`,
    );
  });

  it("answers Refuse with access_denied and no code", async () => {
    const answer = await decide(service, person, device, { decision: "refuse", state: "s" });
    expect(answer.status).toBe(303);
    expect(answer.headers.get("location")).toBe("tavern://back?error=access_denied&state=s");
    expect(await liveCodes()).toEqual([]);
  });

  it("puts no device token into a redirect", async () => {
    const answer = await decide(service, person, device);
    expect(answer.headers.get("location")).not.toContain("sdt_");
  });

  describe("ignores a form", () => {
    const post = async (values: Record<string, string>, headers: Record<string, string> = {}) => {
      const visitor = createBrowserWithoutScripts(service, { ...person, ...headers });
      const page = await createBrowserWithoutScripts(service, person).open(authorizeAddress(device));
      return visitor.send(page, authorizePath, { decision: "approve", ...values });
    };

    it.each([
      ["of a foreign page", { origin: "https://evil.example" }],
      ["of a page without an origin", { origin: "null" }],
    ])("%s", async (_, headers) => {
      expect((await post({}, headers)).status).toBe(403);
      expect(await liveCodes()).toEqual([]);
    });

    it("without the header Origin", async () => {
      const page = await createBrowserWithoutScripts(service, person).open(authorizeAddress(device));
      const fields = { ...fieldsOf(formOf(page, authorizePath)), decision: "approve" };
      const answer = await service.request("POST", authorizePath, {
        headers: { cookie: person.cookie, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString(),
      });
      expect(answer.status).toBe(403);
      expect(await liveCodes()).toEqual([]);
    });

    it.each([
      ["without its idempotency key", { once: "" }],
      ["without a decision", { decision: "" }],
      ["with an unknown decision", { decision: "maybe" }],
      ["without the request that it answers", { asked: "" }],
    ])("%s", async (_, values) => {
      expect((await post(values)).status).toBe(400);
      expect(await liveCodes()).toEqual([]);
    });

    it("of a person whose session has ended, who must sign in and is asked again", async () => {
      const answer = await post({}, { cookie: "innkeep=gone" });
      expect([answer.status, answer.headers.get("location")?.split("?")[0]]).toEqual([
        303,
        "/tavern/sign-in",
      ]);
      expect(await liveCodes()).toEqual([]);
    });

    it("of a browser that is now signed in to another account, which is asked again", async () => {
      const answer = await post({}, await service.signIn(await service.makeUser()));
      expect(answer.status).toBe(409);
      expect(answer.text).toContain("You are now signed in with another account.");
      expect(await liveCodes()).toEqual([]);
    });
  });

  it("has headers that forbid caches and frames, and allow forms only to permitted addresses", async () => {
    const { headers } = await open(whole());
    const policy = headers.get("content-security-policy")?.split("; ") ?? [];
    expect(headers.get("cache-control")).toBe("no-store");
    expect(policy).toEqual(expect.arrayContaining(["default-src 'none'", "frame-ancestors 'none'"]));
    expect(policy).toContain("form-action 'self' tavern:");
    expect(headers.get("referrer-policy")).toBe("same-origin");
  });

  it.each([
    ["innkeeptavern://x", () => "form-action 'self' innkeeptavern:"],
    ["own", () => `form-action 'self' ${service.baseUrl}`],
  ])(
    "allows its form to redirect to the scheme or origin of the request's redirect address: %s",
    async (redirect, policy) => {
      const own = `${service.baseUrl}/tavern/code`;
      const { headers } = await open({ ...whole(), redirect: redirect === "own" ? own : redirect });
      expect(headers.get("content-security-policy")?.split("; ")).toContain(policy());
    },
  );

  it("redirects with the code without a referrer, and the answer is not cached", async () => {
    const { headers } = await decide(service, person, device);
    expect([headers.get("referrer-policy"), headers.get("cache-control")]).toEqual([
      "no-referrer",
      "no-store",
    ]);
  });

  it("answers only GET and POST", async () => {
    const answer = await service.request("PUT", authorizePath, { headers: person });
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD, POST"]);
  });
});
