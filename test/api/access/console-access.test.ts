import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Endpoint,
  errorsOf,
  type Group,
  isMutation,
  maintainerScopes,
} from "../../../src/contract/endpoint.ts";
import { contract } from "../../../src/contract/index.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { newListing } from "../../support/worlds/listing-and-slot-activity.ts";
import { bodies, pathIn } from "../../support/worlds/members/console-requests.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const groups: [string, Group][] = Object.entries(contract);

/** Every endpoint of the console that needs a credential, by its name. */
const endpoints = groups.flatMap(([group, endpoints]) =>
  Object.entries(endpoints)
    .filter(([, { path, auth }]) => path.startsWith("/api/v1/console/") && auth !== "none")
    .map(([name, endpoint]) => ({ name: `${group}.${name}`, endpoint })),
);
const only = (wanted: (endpoint: Endpoint) => boolean) =>
  endpoints.filter(({ endpoint }) => wanted(endpoint));

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

  it.each(endpoints)("$name is refused without a credential", async ({ name, endpoint }) => {
    expect(await refusal(name, endpoint, {})).toBe("sign_in_required");
  });

  it.each(endpoints)("$name is refused with an app key", async ({ name, endpoint }) => {
    expect(await refusal(name, endpoint, { "x-api-key": world.app.key })).toBe("sign_in_required");
  });

  it.each(endpoints)("$name is refused with an agent token", async ({ name, endpoint }) => {
    const code = endpoint.auth === "session" ? "sign_in_required" : "invalid_token";
    expect(await refusal(name, endpoint, bearer(world.agentToken))).toBe(code);
  });

  it.each(only(({ scope }) => scope !== undefined))(
    "$name is refused with a maintainer token of all other scopes",
    async ({ name, endpoint }) => {
      const token = await maintainer(maintainerScopes.filter((scope) => scope !== endpoint.scope));
      expect(await refusal(name, endpoint, token)).toBe("insufficient_scope");
    },
  );

  it.each(only(({ scope, path }) => scope !== undefined && path.includes("/:")))(
    "$name needs no other scope than its own",
    async ({ name, endpoint }) => {
      const traits = { scopes: [endpoint.scope ?? ""] };
      const stranger = await service.makeToken(await service.makeUser(), "maintainer", traits);
      expect(await refusal(name, endpoint, bearer(stranger))).toBe("not_found");
    },
  );

  it.each(only(({ scope, path }) => scope !== undefined && !path.includes("/:")))(
    "$name, which names no thing, is allowed with its scope alone",
    async ({ name, endpoint }) => {
      const token = await maintainer([endpoint.scope ?? ""]);
      expect((await call(name, endpoint, token)).status).toBe(200);
    },
  );

  it.each(only(({ auth }) => auth === "session"))(
    "$name needs a person: a maintainer token of all scopes is refused",
    async ({ name, endpoint }) => {
      expect(await refusal(name, endpoint, await maintainer(maintainerScopes))).toBe("sign_in_required");
    },
  );

  it.each(only(({ auth }) => auth === "session"))(
    "$name is refused with a bearer token beside the session",
    async ({ name, endpoint }) => {
      const headers = { ...world.headers, ...(await maintainer(maintainerScopes)) };
      expect(await refusal(name, endpoint, headers)).toBe("sign_in_required");
    },
  );

  it.each(only(isMutation))("$name is refused with a session but no origin", async ({ name, endpoint }) => {
    const { cookie } = world.headers;
    expect(await refusal(name, endpoint, { cookie })).toBe("forbidden");
  });

  it.each(only(isMutation))("$name is refused from a page of another origin", async ({ name, endpoint }) => {
    const headers = { ...world.headers, origin: "https://evil.example" };
    expect(await refusal(name, endpoint, headers)).toBe("forbidden");
  });

  it.each(only(({ path }) => path.includes("/:")))(
    "$name finds no data of another owner with a session",
    async ({ name, endpoint }) => {
      const stranger = await service.signIn(await service.makeUser());
      expect(await refusal(name, endpoint, stranger)).toBe("not_found");
    },
  );

  const withToken = only(({ path, auth }) => auth === "console" && path.includes("/:"));

  it.each(withToken)("$name finds no data of another owner with a token", async ({ name, endpoint }) => {
    const scopes = maintainerScopes;
    const stranger = await service.makeToken(await service.makeUser(), "maintainer", { scopes });
    expect(await refusal(name, endpoint, bearer(stranger))).toBe("not_found");
  });

  it.each(withToken)("$name finds no data outside the one app of a token", async ({ name, endpoint }) => {
    const other = await service.makeApp(world.owner);
    const traits = { scopes: maintainerScopes, appId: other.id };
    const limited = await service.makeToken(world.owner, "maintainer", traits);
    expect(await refusal(name, endpoint, bearer(limited))).toBe("not_found");
  });

  it.each(only(({ auth, method, path }) => auth === "console" && method === "GET" && !path.includes("/:")))(
    "$name, which names no thing, shows a token of another app nothing of this one",
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

  it("changes nothing when it refuses a request", async () => {
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
