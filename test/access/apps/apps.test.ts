import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  locationOf,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("an app in the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  const address = (id: string, part = "") => `/console/apps/${id}${part}`;
  const secretOf = ({ text }: Answer) => /id="secret"[^>]*value="([^"]*)"/.exec(text)?.[1] ?? "";
  const remote = (key: string) =>
    service.request("GET", "/api/v1/faqs/remote", { headers: { "x-api-key": key } });
  const makeKey = async (id: string, values = {}) =>
    owner.send(await owner.open(address(id)), address(id, "/keys"), { label: "CI", ...values });

  it("is created, and its page then asks for a first key", async () => {
    const form = await owner.open("/console/new-app");
    const answer = await owner.send(form, "/console/new-app", { name: "Trailhead" });
    const page = await owner.open(answer.headers.get("location") ?? "");
    expect(readingOf(page)).toMatch(/Trailhead .* The app is ready\. .*Create a key/);
  });

  it("is created once, even if its form is sent several times", async () => {
    const form = await owner.open("/console/new-app");
    const send = () => owner.send(form, "/console/new-app", { name: "Only one" });
    expect(locationOf(await send())).toBe(locationOf(await send()));
  });

  it("is refused without a name, with the fault at the field", async () => {
    const answer = await owner.send(await owner.open("/console/new-app"), "/console/new-app", { name: " " });
    expect([answer.status, readingOf(answer).includes("Name must not be empty.")]).toEqual([400, true]);
  });

  it("allows a change of name, switches, chat webhook and repository", async () => {
    const { id } = await service.makeApp(world.owner);
    const given = { name: "Renamed", feedbackEnabled: "", chatWebhookUrl: "https://chat.example/x" };
    await owner.send(await owner.open(address(id)), address(id), { ...given, githubRepository: "acme/app" });
    expect((await world.call("GET", `/apps/${id}`)).body).toMatchObject({
      name: "Renamed",
      feedbackEnabled: false,
      changelogEnabled: true,
      chatWebhookUrl: "https://chat.example/***",
      githubRepository: "acme/app",
    });
  });

  it("gets a lifetime for its approvals, loses it if the field is empty, and refuses an invalid one", async () => {
    const { id } = await service.makeApp(world.owner);
    const send = async (approvalHours: string) =>
      owner.send(await owner.open(address(id)), address(id), { approvalHours });
    const stored = async () => (await world.call("GET", `/apps/${id}`)).body;
    await send("24");
    expect(await stored()).toMatchObject({ approvalHours: 24 });
    expect((await owner.open(address(id))).text).toMatch(/name="approvalHours"[^>]*value="24"/);
    for (const wrong of ["0", "1.5", "ten", "9000"]) {
      const answer = await send(wrong);
      expect([wrong, answer.status]).toEqual([wrong, 400]);
      expect(readingOf(answer)).toMatch(/Approvals expire after \(hours\) must/);
    }
    expect(await stored()).toMatchObject({ approvalHours: 24 });
    await send("");
    expect(await stored()).toMatchObject({ approvalHours: null });
  });

  it("loses its webhook if the field is empty", async () => {
    const { id } = await service.makeApp(world.owner, { chatWebhookUrl: "https://chat.example/x" });
    await owner.send(await owner.open(address(id)), address(id), { chatWebhookUrl: "" });
    expect((await world.call("GET", `/apps/${id}`)).body).toMatchObject({ chatWebhookUrl: null });
  });

  it("is deleted only if the person typed its name", async () => {
    const { id } = await service.makeApp(world.owner, { name: "Trailhead" });
    const page = await owner.open(address(id));
    const refused = await owner.send(page, address(id, "/delete"), { confirmation: "Trail" });
    expect(refused.status).toBe(400);
    expect(readingOf(refused)).toContain("Name of the app does not match the name of this app.");
    const answer = await owner.send(refused, address(id, "/delete"), { confirmation: "Trailhead" });
    expect(answer.headers.get("location")).toBe("/console?done=app-deleted");
    expect((await owner.open(address(id))).status).toBe(404);
  });

  it("shows a new valid key only once", async () => {
    const { id } = await service.makeApp(world.owner);
    const page = await makeKey(id);
    expect(readingOf(page)).toContain("The new key for CI");
    expect((await remote(secretOf(page))).status).toBe(200);
    expect((await owner.open(address(id))).text).not.toContain(secretOf(page));
  });

  it("shows the same key again if the form is sent again", async () => {
    const { id } = await service.makeApp(world.owner);
    const page = await owner.open(address(id));
    const send = () => owner.send(page, address(id, "/keys"), { label: "CI" });
    expect(secretOf(await send())).toBe(secretOf(await send()));
  });

  it("can have an intake key, which cannot write the FAQ", async () => {
    const { id } = await service.makeApp(world.owner);
    const key = secretOf(await makeKey(id, { kind: "intake" }));
    const body = { question: "a", answer: "b" };
    const headers = { "x-api-key": key };
    expect((await service.request("POST", "/api/v1/faqs/remote", { headers, body })).status).toBe(403);
    expect(await sendFeedback(service, key)).toMatch(/^[\da-f-]{36}$/);
  });

  it("replaces a key immediately", async () => {
    const { id } = await service.makeApp(world.owner);
    const page = await makeKey(id);
    const action = [...page.text.matchAll(/action="([^"]*\/regenerate)"/g)].at(-1)?.[1] ?? "";
    const renewed = await owner.send(page, action);
    expect((await remote(secretOf(page))).status).toBe(401);
    expect((await remote(secretOf(renewed))).status).toBe(200);
  });

  it("can revoke a key", async () => {
    const { id } = await service.makeApp(world.owner);
    const page = await makeKey(id);
    const action = [...page.text.matchAll(/action="([^"]*\/revoke)"/g)].at(-1)?.[1] ?? "";
    expect((await owner.send(page, action)).headers.get("location")).toBe(address(id, "?done=key-revoked"));
    expect((await remote(secretOf(page))).status).toBe(401);
  });
});
