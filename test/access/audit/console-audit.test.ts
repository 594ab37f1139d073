import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../support/database/databases.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { cookieOf, makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";
import { newListing } from "../../support/worlds/listing-and-slot-activity.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

const tester = "tester@example.org";

describe.each(databases)("the audit log on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeOwnerWithOneOfEach(service);
    await service.makeUser(tester);
  });
  afterAll(() => service.stop());

  const newest = async () => Object((await world.call("GET", "/audit?limit=1")).body).items[0];

  const deeds: [string, string, (world: OwnerWithOneOfEach) => string, unknown?][] = [
    ["app.create", "POST", () => "/apps", { name: "New" }],
    ["app.update", "PATCH", ({ app }) => `/apps/${app.id}`, { name: "Other" }],
    ["key.create", "POST", ({ app }) => `/apps/${app.id}/keys`, {}],
    ["key.regenerate", "POST", ({ app, keyId }) => `/apps/${app.id}/keys/${keyId}/regenerate`],
    ["key.delete", "DELETE", ({ app, keyId }) => `/apps/${app.id}/keys/${keyId}`],
    ["token.create", "POST", () => "/tokens", { kind: "agent", label: "Bot" }],
    ["token.delete", "DELETE", ({ tokenId }) => `/tokens/${tokenId}`],
    ["run.approve", "POST", ({ runId }) => `/runs/${runId}/decision`, { decision: "approve" }],
    [
      "message.note",
      "POST",
      ({ threadId }) => `/feedback/${threadId}/messages`,
      { direction: "note", body: "Hm." },
    ],
    [
      "message.outbound",
      "POST",
      ({ threadId }) => `/feedback/${threadId}/messages`,
      { direction: "outbound", body: "Hi." },
    ],
    ["thread.update", "PATCH", ({ threadId }) => `/feedback/${threadId}`, { status: "resolved" }],
    ["thread.delete", "DELETE", ({ threadId }) => `/feedback/${threadId}`],
    ["faq.create", "POST", ({ app }) => `/apps/${app.id}/faqs`, { question: "Q?", answer: "A." }],
    ["faq.update", "PATCH", ({ faqId }) => `/faqs/${faqId}`, { answer: "B." }],
    ["faq.delete", "DELETE", ({ faqId }) => `/faqs/${faqId}`],
    ["faq.replace", "PUT", ({ app }) => `/apps/${app.id}/faqs`, { faqs: [{ question: "Q?", answer: "A." }] }],
    ["changelog.create", "POST", ({ app }) => `/apps/${app.id}/changelog`, { title: "T", version: "1" }],
    ["changelog.update", "PATCH", ({ entryId }) => `/changelog/${entryId}`, { title: "U" }],
    ["changelog.publish", "POST", ({ entryId }) => `/changelog/${entryId}/publish`],
    ["changelog.delete", "DELETE", ({ entryId }) => `/changelog/${entryId}`],
    ["listing.create", "POST", ({ app }) => `/apps/${app.id}/listings`, newListing],
    ["listing.update", "PATCH", ({ listingId }) => `/listings/${listingId}`, { seats: 20 }],
    ["slot.decline", "POST", ({ slotId }) => `/slots/${slotId}/decline`],
    ["slot.assign", "POST", ({ slotId }) => `/slots/${slotId}/assign`, { email: tester }],
    ["slot.confirm_join", "POST", ({ slotId }) => `/slots/${slotId}/confirm-join`],
    ["slot.rotate_key", "POST", ({ slotId }) => `/slots/${slotId}/rotate-key`],
    ["slot.remove", "POST", ({ slotId }) => `/slots/${slotId}/remove`],
    [
      "cycle.create",
      "POST",
      ({ listingId }) => `/listings/${listingId}/cycles`,
      { startsOn: "2999-01-01", timezone: "UTC" },
    ],
    ["cycle.cancel", "POST", ({ cycleId }) => `/cycles/${cycleId}/cancel`],
    ["app.delete", "DELETE", ({ app }) => `/apps/${app.id}`],
  ];

  it.each(deeds)("records who did what, when and from where: %s", async (action, method, path, body) => {
    const answer = await world.call(method, path(world), body);
    expect(answer.status).toBeLessThan(300);
    expect(await newest()).toMatchObject({
      at: expect.stringMatching(/\.\d{3}Z$/),
      actor: world.owner.email,
      action,
      address: "127.0.0.1",
    });
  });

  it("names the app and the resource", async () => {
    const { call, app, faqId } = await makeOwnerWithOneOfEach(service);
    await call("PATCH", `/faqs/${faqId}`, { answer: "B." });
    const { body } = await call("GET", "/audit?limit=1");
    expect(Object(body).items).toMatchObject([{ appId: app.id, target: faqId }]);
  });

  it("leads on its page from a saved reply, a view and a tag to their pages", async () => {
    const { call, app, headers } = await makeOwnerWithOneOfEach(service);
    await call("POST", `/apps/${app.id}/saved-replies`, { title: "Thanks", body: "Thank you." });
    const view = await call("POST", `/apps/${app.id}/views`, {
      name: "Ovens",
      query: { q: "oven" },
      shared: true,
    });
    expect(view.body).toMatchObject({ name: "Ovens" });
    await call("POST", `/apps/${app.id}/tags`, { name: "stove" });
    const page = await service.request("GET", "/console/audit", {
      headers: { ...headers, accept: "text/html" },
    });
    const link = (path: string, name: string) =>
      `<a href="/console/${path}/${app.id}"><bdi>${name}</bdi></a>`;
    expect(page.text).toContain(link("saved-replies", "Thanks"));
    expect(page.text).toContain(link("feedback", "Ovens"));
    expect(page.text).toContain(link("tags", "stove"));
  });

  it("records each sign-in and sign-out", async () => {
    const account = await makeAccount(service);
    const cookie = cookieOf(await postSession(service, account));
    const headers = { cookie, origin: service.baseUrl };
    await service.request("DELETE", "/api/v1/console/session", { headers });
    const again = cookieOf(await postSession(service, account));
    const { body } = await service.request("GET", "/api/v1/console/audit", { headers: { cookie: again } });
    const actions = Object(body).items.map((entry: { action: string }) => entry.action);
    expect(actions).toEqual(["session.create", "session.delete", "session.create"]);
  });

  it("names the token that acted", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const token = await service.makeToken(other.owner, "maintainer", { scopes: ["feedback:write"] });
    await service.request("PATCH", `/api/v1/console/feedback/${other.threadId}`, {
      headers: bearer(token),
      body: { addTags: ["teapot"] },
    });
    const { body } = await other.call("GET", "/audit?limit=1");
    expect(Object(body).items[0].actor).toMatch(new RegExp(`^${other.owner.email}, token [\\da-f-]{36}$`));
  });

  it("has no entry for a refused request", async () => {
    const before = await newest();
    await world.call("PATCH", `/feedback/${world.app.id}`, {});
    expect(await newest()).toEqual(before);
  });

  it("contains no secret", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const key = (await other.call("POST", `/apps/${other.app.id}/keys`, {})).field("key");
    expect((await other.call("GET", "/audit")).text).not.toContain(key);
  });

  it("shows nothing of other owners", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    expect((await other.call("GET", "/audit")).text).not.toContain(world.owner.email);
  });

  const entries = (answer: Answer): { actor: string; action: string; appId: string; at: string }[] =>
    Object(answer.body).items;

  it("can be read by a script with audit:read, and a token of one app gets only that app", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const sister = await service.makeApp(other.owner);
    await other.call("PATCH", `/apps/${sister.id}`, { name: "Sister" });
    const read = async (appId?: string, query = "") => {
      const token = await service.makeToken(other.owner, "maintainer", { scopes: ["audit:read"], appId });
      return service.request("GET", `/api/v1/console/audit${query}`, { headers: bearer(token) });
    };
    expect(entries(await read())).toEqual(entries(await other.call("GET", "/audit")));
    const ofSister = entries(await read(sister.id));
    expect(ofSister).toMatchObject([{ action: "app.update", appId: sister.id }]);
    expect(entries(await read(sister.id, `?appId=${sister.id}`))).toEqual(ofSister);
    expect(entries(await read(sister.id, `?appId=${other.app.id}`))).toEqual([]);
  });

  it("can be filtered by an e-mail address in each form of its letters", async () => {
    const owner = await service.makeUser("jörg@example.org");
    const app = await service.makeApp(owner);
    const headers = await service.signIn(owner);
    const body = { name: "Renamed" };
    await service.request("PATCH", `/api/v1/console/apps/${app.id}`, { headers, body });
    const actor = encodeURIComponent(owner.email.normalize("NFD"));
    const read = await service.request("GET", `/api/v1/console/audit?actor=${actor}`, { headers });
    expect(entries(read)).toMatchObject([{ action: "app.update", actor: owner.email }]);
  });

  it("can be filtered by a person with all tokens, and by one token", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const [first, second] = await Promise.all(
      [1, 2].map(() => service.makeToken(other.owner, "maintainer", { scopes: ["feedback:write"] })),
    );
    for (const [at, token] of [first, second, first].entries())
      await service.request("PATCH", `/api/v1/console/feedback/${other.threadId}`, {
        headers: bearer(token ?? ""),
        body: { addTags: [`teapot ${at}`] },
      });
    const by = async (actor: string) =>
      entries(await other.call("GET", `/audit?limit=100&actor=${encodeURIComponent(actor)}`));
    const all = entries(await other.call("GET", "/audit?limit=100"));
    const tokenId = all[0]?.actor.split(" ").at(-1) ?? "";
    const { email } = other.owner;
    expect(await by(email.toUpperCase())).toEqual(all.filter(({ actor }) => actor.startsWith(email)));
    expect(await by("agent")).toEqual(all.filter(({ action }) => action === "run.propose"));
    expect((await by(tokenId)).map(({ actor }) => actor)).toEqual(
      Array(2).fill(`${email}, token ${tokenId}`),
    );
    for (const wild of ["%", "_".repeat(email.length), email.slice(0, -1)])
      expect(await by(wild)).toEqual([]);
  });

  it("can be filtered by a period from an instant to another instant, which is not included", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const all = entries(await other.call("GET", "/audit?limit=100"));
    const [newest, oldest] = [all[0]?.at ?? "", all.at(-1)?.at ?? ""];
    const between = async (query: string) => entries(await other.call("GET", `/audit?limit=100&${query}`));
    expect(await between(`from=${newest}`)).toEqual(all.filter(({ at }) => at >= newest));
    expect(await between(`to=${newest}`)).toEqual(all.filter(({ at }) => at < newest));
    expect(await between(`from=${oldest}&to=${oldest}`)).toEqual([]);
    expect((await other.call("GET", "/audit?from=yesterday")).field("issues.0.path")).toBe("from");
  });

  it("has pages that contain each entry once", async () => {
    const other = await makeOwnerWithOneOfEach(service);
    const whole = Object((await other.call("GET", "/audit?limit=100")).body).items;
    const first = Object((await other.call("GET", "/audit?limit=2")).body);
    const second = Object((await other.call("GET", `/audit?limit=100&cursor=${first.nextCursor}`)).body);
    expect([...first.items, ...second.items]).toEqual(whole);
    expect(second.nextCursor).toBeNull();
  });
});
