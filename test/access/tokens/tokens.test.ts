import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { maintainerScopes } from "../../../src/contract/endpoint.ts";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { eventually } from "../../support/eventually.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("tokens in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  const secretOf = ({ text }: Answer) => /id="secret"[^>]*value="([^"]*)"/.exec(text)?.[1] ?? "";
  const make = async (values: Record<string, string>) =>
    owner.send(await owner.open("/console/tokens"), "/console/tokens", values);

  it("are created for agents and are shown once", async () => {
    const page = await make({ kind: "agent", label: "Triage" });
    expect(readingOf(page)).toContain("The new token for Triage");
    const headers = bearer(secretOf(page));
    expect(
      (await service.request("GET", `/api/v1/agent/feedback/${world.threadId}`, { headers })).status,
    ).toBe(200);
    expect((await owner.open("/console/tokens")).text).not.toContain(secretOf(page));
  });

  it("of agents are offered only for apps that the person owns", async () => {
    const team = await makeTeam(service);
    const member = await team.join("maintainer");
    const own = await service.makeApp(member, { name: "Own" });
    const visitor = createBrowserWithoutScripts(service, member.headers);
    const page = await visitor.open("/console/tokens");
    const offered = (name: string) =>
      [
        ...(new RegExp(`<select[^>]*name="${name}".*?</select>`, "s").exec(page.text)?.[0] ?? "").matchAll(
          /value="([^"]+)"/g,
        ),
      ].map(([, id]) => id);
    expect(offered("agentAppId")).toEqual([own.id]);
    expect(offered("appId").sort()).toEqual([own.id, team.app.id].sort());
    const kept = { agentAppId: own.id, appId: team.app.id, "scope:feedback:read": "on" };
    for (const [kind, appId] of [
      ["agent", own.id],
      ["maintainer", team.app.id],
    ]) {
      await visitor.send(await visitor.open("/console/tokens"), "/console/tokens", {
        ...kept,
        kind: String(kind),
        label: `For ${kind}`,
      });
      const { body } = await member.call("GET", "/tokens");
      expect(body).toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ kind, appId })]),
      });
    }
  });

  it("show only the hour of their last use", async () => {
    const headers = bearer(secretOf(await make({ kind: "agent", label: "Nightly" })));
    const shown = async () =>
      /Nightly.*?(never used|used in the last hour|used in the last 2 hours|used \d hours ago)/s.exec(
        readingOf(await owner.open("/console/tokens")),
      )?.[1];
    expect(await shown()).toBe("never used");
    await service.request("GET", `/api/v1/agent/feedback/${world.threadId}`, { headers });
    await eventually(async () => expect(await shown()).toBe("used in the last hour"));
    // The use may be a minute old when the next hour of the clock begins.
    service.clock.advance(3_600_000);
    expect(await shown()).toBe("used in the last 2 hours");
    service.clock.advance(3 * 3_600_000);
    expect(await shown()).toBe("used 4 hours ago");
    service.clock.advance(-4 * 3_600_000);
  });

  it("are created with every scope that a script can have", async () => {
    for (const scope of maintainerScopes) {
      const page = await make({ kind: "maintainer", label: scope, [`scope:${scope}`]: "on" });
      const headers = bearer(secretOf(page));
      const me = await service.request("GET", "/api/v1/console/me", { headers });
      expect(me.body).toMatchObject({ scopes: [scope] });
    }
  });

  it("get a scope for agents only if its checkbox is selected", async () => {
    const scopesOf = async (ticked: Record<string, string>) => {
      const label = `Agent with ${Object.keys(ticked).join() || "nothing"}`;
      await make({ kind: "agent", label, ...ticked });
      const list = await world.call("GET", "/tokens");
      const items: { label: string; scopes: string[] }[] = Object(list.body).items;
      return items.find((token) => token.label === label)?.scopes;
    };
    expect(await scopesOf({})).toEqual([]);
    expect(await scopesOf({ "scope:runs:work": "on" })).toEqual(["runs:work"]);
    expect(await scopesOf({ "scope:apps:read": "on" })).toEqual([]);
  });

  it("are created for scripts, with their scopes and app", async () => {
    const scope = { "scope:changelog:write": "on" };
    const page = await make({ kind: "maintainer", label: "Release", appId: world.app.id, ...scope });
    const call = (path: string) =>
      service.request("GET", `/api/v1/console${path}`, { headers: bearer(secretOf(page)) });
    const other = await service.makeApp(world.owner);
    expect((await call(`/apps/${world.app.id}/changelog`)).status).toBe(200);
    expect((await call(`/apps/${world.app.id}/feedback`)).status).toBe(403);
    expect((await call(`/apps/${other.id}/changelog`)).status).toBe(404);
  });

  it("can be created for agents that report their work, and the list shows this", async () => {
    const page = await make({ kind: "agent", label: "Worker", "scope:runs:work": "on" });
    const claim = (token: string) =>
      service.request("POST", `/api/v1/agent/runs/${world.runId}/claim`, {
        headers: bearer(token),
        body: { worker: "one" },
      });
    expect((await claim(secretOf(page))).field("code")).toBe("wrong_state");
    expect((await claim(world.agentToken)).field("code")).toBe("insufficient_scope");
    const text = readingOf(await owner.open("/console/tokens"));
    expect(text).toMatch(/Worker sda_\S+ Agent all apps runs:work/);
    expect(text).toContain("With this scope, a worker claims an approved plan before it starts");
  });

  it("are not created without a label, and the form keeps its choices", async () => {
    const answer = await make({ kind: "maintainer", label: "", "scope:apps:read": "on" });
    expect(answer.status).toBe(400);
    expect(readingOf(answer)).toContain("Label must not be empty.");
    expect(answer.text).toMatch(/name="scope:apps:read" value="on" checked/);
    expect(answer.text).toMatch(/value="maintainer" id="kind-maintainer" checked/);
  });

  it("are not created for scripts without a scope, and the page gives the reason", async () => {
    const answer = await make({ kind: "maintainer", label: "Nothing" });
    expect(answer.status).toBe(400);
    expect(answer.text).toMatch(/<p class="fault">The scopes [^<]+\.<\/p>/);
  });

  it("are revoked immediately", async () => {
    const page = await make({ kind: "agent", label: "Gone" });
    const action = [...page.text.matchAll(/action="([^"]*\/revoke)"/g)].map(([, at]) => at ?? "");
    for (const address of action) await owner.send(page, address);
    const headers = bearer(secretOf(page));
    expect(
      (await service.request("GET", `/api/v1/agent/feedback/${world.threadId}`, { headers })).status,
    ).toBe(401);
    expect(readingOf(await owner.open("/console/tokens"))).toContain("No tokens yet");
  });
});

describe("the audit log in the console", () => {
  it("shows in words who did what, to what, from where", async () => {
    const service = await startService();
    const world = await makeOwnerWithOneOfEach(service);
    const page = readingOf(await createBrowserWithoutScripts(service, world.headers).open("/console/audit"));
    expect(page).toMatch(new RegExp(`Created a key CI Demo ${world.owner.email} 127\\.0\\.0\\.1`));
    await service.stop();
  });
});
