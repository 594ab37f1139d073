import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { deviceScopes } from "../../../src/contract/endpoint.ts";
import { addressOf, endpoints, titleOf } from "../../support/service/endpoints.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const theirs = endpoints.filter(([, { auth }]) => auth === "deviceToken").map(([, one]) => one);

describe("a device token", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  it.each(theirs.map((one) => [titleOf(one), one] as const))("needs the scope of %s", async (_, one) => {
    expect(deviceScopes).toContain(one.scope);
    const others = deviceScopes.filter((scope) => scope !== one.scope);
    const headers = await service.makeDevice(world.owner, others);
    const answer = await service.request(one.method, addressOf(one), { headers });
    expect(answer).toMatchObject({ status: 403, body: { code: "insufficient_scope" } });
  });
});
