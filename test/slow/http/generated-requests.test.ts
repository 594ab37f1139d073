import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Endpoint } from "../../../src/contract/endpoint.ts";
import { databases } from "../../support/database/databases.ts";
import { fc } from "../../support/property.ts";
import { addressOf, endpoints } from "../../support/service/endpoints.ts";
import { type GeneratedRequest, requestsTo, undeclaredIn } from "../../support/service/generated-requests.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

/** 100,000 requests in the long form. */
const runsOfEach = rounds(12, 750);

describe.each(databases)("generated requests on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  it.each(endpoints)("get from %s only responses that the endpoint declares", async (_, endpoint) => {
    // A request for a decided proposal does not wait.
    if (endpoint.query?.shape.wait)
      await world.call("POST", `/runs/${world.runId}/decision`, { decision: "reject" });
    // A slot with a tester.
    if (/\/(remove|rotate-key|confirm-join)$/.test(endpoint.path))
      await world.call("POST", `/slots/${world.slotId}/accept`);
    const property = fc.asyncProperty(requestsTo(endpoint), async (generated) => {
      const answer = await send(endpoint, generated);
      expect(undeclaredIn(endpoint, answer)).toEqual([]);
      if (answer.status < 300 && usesUp(endpoint)) world = await makeOwnerWithOneOfEach(service);
    });
    await fc.assert(property, { numRuns: runsOfEach });
  });

  it("do not stop the server, which still answers and has logged no failure", async () => {
    expect(await service.request("GET", "/readyz")).toMatchObject({ status: 200 });
    expect(service.logged()).not.toMatch(/"level":"(error|fatal)"/);
  });

  function send(endpoint: Endpoint, { params, query, headers, trusted, body }: GeneratedRequest) {
    const { app, threadId, runId, keyId, tokenId, faqId, entryId, listingId, cycleId, slotId, deviceId } =
      world;
    const known: Record<string, string> = {
      appId: app.id,
      id: threadId,
      runId,
      keyId,
      tokenId,
      faqId,
      entryId,
      listingId,
      cycleId,
      slotId,
      deviceId,
    };
    const filled = Object.entries(params).map(([name, value]) => [
      name,
      value === "known" ? known[name] : value,
    ]);
    const credentials = trusted ? credentialsFor(endpoint) : { "x-api-key": "sdk_x", ...bearer("sda_x") };
    return service.request(endpoint.method, addressOf(endpoint, Object.fromEntries(filled)) + query, {
      headers: { ...credentials, ...headers },
      body,
      skipsEvents: true,
    });
  }

  const credentialsFor = ({ auth }: Endpoint): Record<string, string> =>
    ({
      none: { origin: service.baseUrl },
      appKey: { "x-api-key": world.app.key },
      agentToken: bearer(world.agentToken),
      deviceToken: world.device,
      console: world.headers,
      session: world.headers,
    })[auth];
});

/** Whether the request may destroy data that the next request needs. */
const usesUp = ({ method, path }: Endpoint): boolean =>
  method === "DELETE" || method === "PUT" || /(regenerate|decision|cancel|accept|decline|remove)$/.test(path);
