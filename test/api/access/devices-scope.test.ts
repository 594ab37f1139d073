import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deviceScopes } from "../../../src/contract/endpoint.ts";
import { addressOf, endpoints, titleOf } from "../../support/service/endpoints.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const theirs = endpoints.filter(([, { auth }]) => auth === "deviceToken").map(([, one]) => one);
const foreign = endpoints
  .map(([, one]) => one)
  .filter(({ auth }) => auth !== "deviceToken" && auth !== "none");

describe("a device token", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  /** The ids of the owner's own data: the token is refused, not the address. */
  const address = (one: (typeof foreign)[number]) =>
    addressOf(one, {
      appId: world.app.id,
      id: world.threadId,
      runId: world.runId,
      faqId: world.faqId,
      entryId: world.entryId,
      keyId: world.keyId,
      tokenId: world.tokenId,
    });

  it.each(foreign.map((one) => [titleOf(one), one] as const))("has no access to %s", async (_, one) => {
    const key = world.device.authorization.slice("Bearer ".length);
    const ways: Record<string, string>[] = [
      world.device,
      { "x-api-key": key },
      { cookie: `innkeep=${key}`, origin: service.baseUrl },
    ];
    for (const headers of ways)
      expect((await service.request(one.method, address(one), { headers })).status).toBe(401);
  });

  it.each(theirs.map((one) => [titleOf(one), one] as const))("needs the scope of %s", async (_, one) => {
    expect(deviceScopes).toContain(one.scope);
    const others = deviceScopes.filter((scope) => scope !== one.scope);
    const headers = await service.makeDevice(world.owner, others);
    const answer = await service.request(one.method, addressOf(one), { headers });
    expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  });

  it.each(theirs.map((one) => [titleOf(one), one] as const))(
    "is the only credential that is accepted at %s",
    async (_, one) => {
      const agent = { authorization: `Bearer ${world.agentToken}` };
      const others: Record<string, string>[] = [{}, agent, world.headers, { "x-api-key": world.app.key }];
      for (const headers of others)
        expect((await service.request(one.method, addressOf(one), { headers })).status).toBe(401);
    },
  );
});
