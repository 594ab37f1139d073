import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Endpoint,
  errorsOf,
  type Group,
  isMutation,
  maintainerScopes,
} from "../../src/contract/endpoint.ts";
import { contract } from "../../src/contract/index.ts";
import { type Service, startService } from "../support/service/service.ts";
import { newListing } from "../support/worlds/listing-and-slot-activity.ts";
import { bodies, pathIn } from "../support/worlds/members/console-requests.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../support/worlds/owner-with-one-of-each.ts";

const groups: [string, Group][] = Object.entries(contract);

/** Every endpoint of the console that needs a credential, by its name. */
const endpoints = groups.flatMap(([group, endpoints]) =>
  Object.entries(endpoints)
    .filter(([, { path, auth }]) => path.startsWith("/api/v1/console/") && auth !== "none")
    .map(([name, endpoint]) => ({ name: `${group}.${name}`, endpoint })),
);
const only = (wanted: (endpoint: Endpoint) => boolean) =>
  endpoints.filter(({ endpoint }) => wanted(endpoint));

/**
 * For each kind of credential, one endpoint that reads data and one that changes data. `foreign-credentials.test.ts`
 * tries all.
 */
const oneOfEachAuth = (["console", "session"] as const).flatMap((auth) =>
  [true, false].flatMap((changes) =>
    only((endpoint) => endpoint.auth === auth && isMutation(endpoint) === changes).slice(0, 1),
  ),
);

describe("the console's API", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  const call = (name: string, endpoint: Endpoint, headers: Record<string, string>) =>
    service.request(endpoint.method, pathIn(world, endpoint), { headers, body: bodies[name] });
  const refusal = async (name: string, endpoint: Endpoint, headers: Record<string, string>) => {
    const answer = await call(name, endpoint, headers);
    const code = answer.field("code");
    expect(errorsOf(endpoint)).toContain(code);
    return code;
  };
  const maintainer = async (scopes: readonly string[]) =>
    bearer(await service.makeToken(world.owner, "maintainer", { scopes }));

  it.each(oneOfEachAuth)(
    "refuses $name without credentials, and says whether a sign-in or another token is needed",
    async (one) => {
      const { name, endpoint } = one;
      const wrongToken = endpoint.auth === "session" ? "sign_in_required" : "invalid_token";
      expect(await refusal(name, endpoint, {})).toBe("sign_in_required");
      expect(await refusal(name, endpoint, { "x-api-key": world.app.key })).toBe("sign_in_required");
      expect(await refusal(name, endpoint, bearer(world.agentToken))).toBe(wrongToken);
      if (endpoint.auth === "session") {
        const token = await maintainer(maintainerScopes);
        expect(await refusal(name, endpoint, token)).toBe("sign_in_required");
        expect(await refusal(name, endpoint, { ...world.headers, ...token })).toBe("sign_in_required");
      }
    },
  );

  it.each(only(({ scope }) => scope !== undefined))(
    "allows $name with a token that has its scope, and with no other scope",
    async ({ name, endpoint }) => {
      const others = await maintainer(maintainerScopes.filter((scope) => scope !== endpoint.scope));
      expect(await refusal(name, endpoint, others)).toBe("insufficient_scope");
      const traits = { scopes: [endpoint.scope ?? ""] };
      if (endpoint.path.includes("/:")) {
        const stranger = await service.makeToken(await service.makeUser(), "maintainer", traits);
        expect(await refusal(name, endpoint, bearer(stranger))).toBe("not_found");
      } else expect((await call(name, endpoint, await maintainer(traits.scopes))).status).toBe(200);
    },
  );

  it.each(only(isMutation))(
    "refuses $name with a session if the request comes from no page or from a page of another origin",
    async ({ name, endpoint }) => {
      const { cookie } = world.headers;
      expect(await refusal(name, endpoint, { cookie })).toBe("forbidden");
      const headers = { ...world.headers, origin: "https://evil.example" };
      expect(await refusal(name, endpoint, headers)).toBe("forbidden");
    },
  );

  it.each(only(({ path }) => path.includes("/:")))(
    "finds for $name no data of another owner with a session",
    async ({ name, endpoint }) => {
      const stranger = await service.signIn(await service.makeUser());
      expect(await refusal(name, endpoint, stranger)).toBe("not_found");
    },
  );

  const withToken = only(({ path, auth }) => auth === "console" && path.includes("/:"));

  it.each(withToken)("finds for $name no data outside the one app of a token", async ({ name, endpoint }) => {
    const other = await service.makeApp(world.owner);
    const traits = { scopes: maintainerScopes, appId: other.id };
    const limited = await service.makeToken(world.owner, "maintainer", traits);
    expect(await refusal(name, endpoint, bearer(limited))).toBe("not_found");
  });

  it.each(only(({ auth, method, path }) => auth === "console" && method === "GET" && !path.includes("/:")))(
    "shows for $name, which has no id in its path, nothing of this app to a token of another app",
    async ({ name, endpoint }) => {
      const other = await service.makeApp(world.owner);
      const traits = { scopes: maintainerScopes, appId: other.id };
      const limited = await service.makeToken(world.owner, "maintainer", traits);
      const { status, text } = await call(name, endpoint, bearer(limited));
      expect(status).toBe(200);
      const { app, threadId, keyId, tokenId, faqId, entryId, listingId, cycleId } = world;
      for (const id of [app.id, threadId, keyId, tokenId, faqId, entryId, listingId, cycleId])
        expect(text).not.toContain(id);
    },
  );

  it("changes nothing if it refuses a request", async () => {
    const { call, app, threadId, faqId, entryId, keyId, listingId, cycleId, slotId } = world;
    expect((await call("GET", `/apps/${app.id}`)).body).toMatchObject({ name: "Demo" });
    expect((await call("GET", `/feedback/${threadId}`)).body).toMatchObject({
      feedback: { status: "open" },
      latestProposal: { status: "awaiting_approval" },
    });
    expect((await call("GET", `/apps/${app.id}/faqs`)).body).toMatchObject([
      { id: faqId, answer: "Because." },
    ]);
    expect((await call("GET", `/changelog/${entryId}`)).body).toMatchObject({
      title: "First",
      publishedAt: null,
    });
    expect((await call("GET", `/apps/${app.id}/keys`)).text).toContain(keyId);
    expect((await call("GET", `/apps/${app.id}/listings`)).body).toMatchObject({
      items: [{ id: listingId, appName: newListing.appName }],
    });
    expect((await call("GET", `/listings/${listingId}/cycles`)).body).toMatchObject({
      items: [{ id: cycleId, status: "running" }],
    });
    expect((await call("GET", `/cycles/${cycleId}`)).body).toMatchObject({
      slots: expect.arrayContaining([expect.objectContaining({ slotId, status: "requested" })]),
    });
  });
});
