import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mintCredential, randomName } from "../../../server/secrets/secrets.ts";
import {
  type Auth,
  agentScopes,
  type Endpoint,
  errorsOf,
  maintainerScopes,
} from "../../../src/contract/endpoint.ts";
import { databases, sqlite } from "../../support/database/databases.ts";
import { fc } from "../../support/property.ts";
import { runSeed } from "../../support/random-seed.ts";
import { addressOf, endpoints } from "../../support/service/endpoints.ts";
import { valuesFor } from "../../support/service/generated-values.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import { makeAllCredentials, waysToShow } from "../../support/worlds/members/all-credentials.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

type Headers = Record<string, string>;
type Kind = "app key" | "agent token" | "maintainer token" | "session" | "device token";

/** The credentials that each endpoint accepts. All others are refused, even the owner's. */
const believed: Record<Auth, readonly Kind[]> = {
  none: [],
  appKey: ["app key"],
  agentToken: ["agent token"],
  deviceToken: ["device token"],
  console: ["session", "maintainer token"],
  session: ["session"],
};

/** The headers in which each endpoint looks for a credential. */
const headersOf: Record<Auth, readonly string[]> = {
  none: [],
  appKey: ["x-api-key"],
  agentToken: ["authorization"],
  deviceToken: ["authorization"],
  console: ["authorization", "cookie"],
  session: ["cookie"],
};

/** Endpoints for data of all owners that every tester may read and request. */
const isOpenToAll = ({ path }: Endpoint) =>
  path === "/api/v1/testing/listings" || path === "/api/v1/testing/slots/:slotId/request";

const guarded = endpoints.filter(([, { auth }]) => auth !== "none");
const oneOfEachAuth = [...new Map(guarded.map((one) => [one[1].auth, one])).values()];

describe.each(databases)("with every credential of another kind or owner, on $name,", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let ofOwner: Record<Kind, Headers>;
  /** Secrets of all kinds. The headers of the API carry only those that an endpoint accepts. */
  let secrets: (readonly [kind: string, secret: string])[];
  let before: Map<string, string>;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
    world = await makeOwnerWithOneOfEach(service);
    ofOwner = await credentialsOf(world.owner, world.app.key);
    secrets = Object.entries(await makeAllCredentials(service, world));
    before = await seenByOwner();
  });
  afterAll(() => service.stop());

  async function credentialsOf(owner: { id: string }, key: string): Promise<Record<Kind, Headers>> {
    const scopes = maintainerScopes;
    return {
      "app key": { "x-api-key": key },
      "agent token": bearer(await service.makeToken(owner, "agent", { scopes: agentScopes })),
      "maintainer token": bearer(await service.makeToken(owner, "maintainer", { scopes })),
      session: await service.signIn(owner),
      "device token": await service.makeDevice(owner),
    };
  }

  /** A stranger's credentials, new each time, because signing out ends a session. */
  async function ofStranger(): Promise<Record<Kind, Headers>> {
    const stranger = await service.makeUser();
    return credentialsOf(stranger, (await service.makeApp(stranger)).key);
  }

  async function worthless(): Promise<Headers[]> {
    const stranger = await service.makeUser();
    const [session, device] = [await service.signIn(stranger), await service.makeDevice(stranger)];
    for (const table of ["sessions", "devices"])
      await service.deps.database.write((tx) =>
        tx.run(`UPDATE ${table} SET expires_at = '2020-01-01T00:00:00.000Z' WHERE user_id = ?`, stranger.id),
      );
    const origin = service.baseUrl;
    const made = (["sda_", "sdm_", "sdt_"] as const).map((prefix) => bearer(mintCredential(prefix)));
    const cookie = `innkeep=${randomName()}`;
    return [{}, session, device, ...made, { "x-api-key": mintCredential("sdk_") }, { cookie, origin }];
  }

  const params = () => {
    const { app, threadId, ...ids } = world;
    return { ...ids, appId: app.id, id: threadId, version: "1.0.0" };
  };
  const pathOf = (endpoint: Endpoint) => {
    const texts = Object.entries(params()).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string",
    );
    return addressOf(endpoint, Object.fromEntries(texts));
  };
  const send = (endpoint: Endpoint, headers: Headers, body?: unknown) =>
    service.request(endpoint.method, pathOf(endpoint), { headers, body, skipsEvents: true });

  /** The owner's data as texts to search for. */
  const traces = () =>
    Object.values({ ...params(), email: world.owner.email }).filter((value) => typeof value === "string");
  const leaksIn = ({ text, headers }: Answer) => {
    const told = `${text}\n${JSON.stringify([...headers])}`;
    return traces().filter((trace) => trace !== "1.0.0" && told.includes(trace));
  };

  const bodiesFor = ({ body }: Endpoint): unknown[] =>
    body ? fc.sample(valuesFor(body), { numRuns: rounds(1, 20), seed: runSeed }) : [undefined];

  // PostgreSQL reads the same rows: there, one endpoint for each kind of credential.
  const refusing = engine === sqlite ? guarded : oneOfEachAuth;

  it.each(refusing)("the endpoint %s refuses credentials that it does not accept", async (_, endpoint) => {
    const wrong = (all: Record<Kind, Headers>) =>
      Object.entries(all).flatMap(([kind, headers]) =>
        believed[endpoint.auth].some((one) => one === kind) ? [] : [headers],
      );
    const shown = headersOf[endpoint.auth];
    const others = secrets
      .filter(([kind]) => believed[endpoint.auth].every((one) => one !== kind))
      .flatMap(([, secret]) => waysToShow(secret, service.baseUrl))
      .filter((headers) => shown.some((name) => name in headers));
    const refused = [...wrong(ofOwner), ...wrong(await ofStranger()), ...(await worthless()), ...others];
    for (const headers of refused) {
      const answer = await send(endpoint, headers, bodiesFor(endpoint)[0]);
      expect({ headers, text: answer.text, leaks: leaksIn(answer) }).toMatchObject({ leaks: [] });
      expect([401, 403]).toContain(answer.status);
      expect(errorsOf(endpoint)).toContain(answer.field("code"));
    }
  });

  it.each(guarded.filter(([, endpoint]) => !isOpenToAll(endpoint)))(
    "the endpoint %s shows and changes no data of another owner",
    async (_, endpoint) => {
      for (const body of bodiesFor(endpoint))
        for (const kind of believed[endpoint.auth]) {
          const answer = await send(endpoint, (await ofStranger())[kind], body);
          expect({ kind, body, text: answer.text, leaks: leaksIn(answer) }).toMatchObject({ leaks: [] });
          if (endpoint.params) expect([400, 404, 415]).toContain(answer.status);
        }
    },
  );

  /** Every answer that the owner gets, without the times of last use. */
  async function seenByOwner(): Promise<Map<string, string>> {
    const seen = new Map<string, string>();
    // The server itself changes the states of deliveries.
    for (const [name, endpoint] of guarded.filter(
      ([name, one]) => one.method === "GET" && !("download" in one.success) && name !== "webhooks.deliveries",
    )) {
      const [kind] = believed[endpoint.auth];
      const { text } = await send(endpoint, kind ? ofOwner[kind] : {});
      // On PostgreSQL the positions in changes and events change with every transaction.
      seen.set(name, text.replace(/"(lastUsedAt|changes|next)":("[^"]*"|null)/g, ""));
    }
    return seen;
  }

  it("all endpoints together leave the owner's data unchanged", async () => {
    expect(before.size).toBeGreaterThan(20);
    for (const [name, text] of await seenByOwner())
      expect({ name, text }).toEqual({ name, text: before.get(name) });
  });
});
