import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DeviceScope, deviceScopes } from "../../../src/contract/endpoint.ts";
import { endpoints, titleOf } from "../../support/service/endpoints.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTesterInCycle, type TesterInCycle } from "../../support/worlds/tester-in-running-cycle.ts";

interface Access {
  readonly method: string;
  readonly path: string;
  readonly scope: DeviceScope;
}

/** The scope that a device token needs. (rule K6) */
const table: readonly Access[] = [
  { method: "GET", path: "/api/v1/testing/me/tasks", scope: "testing:read" },
  { method: "GET", path: "/api/v1/testing/me/slots", scope: "testing:read" },
  { method: "GET", path: "/api/v1/testing/listings", scope: "testing:read" },
  { method: "POST", path: "/api/v1/testing/proofs", scope: "testing:proofs:write" },
  { method: "POST", path: "/api/v1/testing/slots/{slotId}/request", scope: "testing:slots:write" },
  { method: "POST", path: "/api/v1/testing/slots/{slotId}/rotate-key", scope: "testing:slots:write" },
  { method: "PATCH", path: "/api/v1/testing/me/profile", scope: "testing:profile:write" },
];

describe("the tester's endpoints", () => {
  let service: Service;
  let world: TesterInCycle;
  beforeAll(async () => {
    service = await startService();
    world = await makeTesterInCycle(service);
  });
  afterAll(() => service.stop());

  const call = ({ method, path }: Access, headers: Record<string, string>) =>
    service.request(method, path.replace("{slotId}", world.open[0] ?? ""), {
      headers,
      ...(method === "GET" ? {} : { body: "{" }),
    });

  describe.each(table)("$method $path", (access) => {
    it("refuses a device token that has all scopes except the required one, with any body", async () => {
      const others = deviceScopes.filter((scope) => scope !== access.scope);
      const answer = await call(access, await service.makeDevice(world.tester, others));
      expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
      expect(answer.text).toContain(access.scope);
    });

    it("accepts a device token that has only the required scope", async () => {
      const { status } = await call(access, await service.makeDevice(world.tester, [access.scope]));
      expect([401, 403]).not.toContain(status);
    });

    it("refuses any other credential with 401, as it refuses a missing one", async () => {
      const { owner, app } = world;
      const scopes = ["testing:manage"];
      const foreign: Record<string, string>[] = [
        {},
        { "x-api-key": app.key },
        { authorization: "Bearer sdt_nobodysnobodysnobodysnobodysnobodys01" },
        { authorization: `Bearer ${await service.makeToken(owner, "maintainer", { scopes })}` },
        { authorization: `Bearer ${await service.makeToken(owner, "agent")}` },
        await service.signIn(owner),
      ];
      const answers = await Promise.all(foreign.map((headers) => call(access, headers)));
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 401, body: { code: "invalid_token" } });
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });
  });

  it("are all in the table of this test", () => {
    const all = endpoints.filter(([, { auth }]) => auth === "deviceToken").map(([, one]) => titleOf(one));
    const named = table.map(({ method, path }) => `${method} ${path.replace(/\{(\w+)\}/, ":$1")}`);
    expect(named.toSorted()).toEqual(all.toSorted());
  });

  it("refuse a token that has expired after 90 days", async () => {
    const tasks = { method: "GET", path: "/api/v1/testing/me/tasks", scope: "testing:read" } as const;
    const device = await service.makeDevice(world.tester);
    service.clock.advance(90 * 86_400_000 - 60_000);
    expect((await call(tasks, device)).status).toBe(200);
    service.clock.advance(60_000);
    expect(await call(tasks, device)).toMatchObject({ status: 401, body: { code: "invalid_token" } });
  });
});
