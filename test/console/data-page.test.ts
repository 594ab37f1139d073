import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../support/service/service.ts";
import { makeOwnerWithOneOfEach } from "../support/worlds/owner-with-one-of-each.ts";
import { linesIn } from "../support/worlds/transfer/app-file.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function ownerAtData() {
  const world = await makeOwnerWithOneOfEach(service);
  const page = createBrowserWithoutScripts(service, world.headers);
  const open = (path: string) => page.open(path);
  const get = (path: string) => fetch(service.baseUrl + path, { headers: world.headers });
  const send = (file: string | undefined, fields: Readonly<Record<string, string>> = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ name: "", once: "form-1", ...fields }))
      body.append(name, value);
    if (file !== undefined) body.append("file", new Blob([file]), "app.ndjson");
    return fetch(`${service.baseUrl}/console/import`, {
      method: "POST",
      headers: { ...world.headers, accept: "text/html" },
      body,
      redirect: "manual",
    });
  };
  return { ...world, open, get, send };
}

describe("the page for the data of an app", () => {
  it("offers downloads of the app with files and without files", async () => {
    const owner = await ownerAtData();
    const settings = await (await owner.get(`/console/apps/${owner.app.id}`)).text();
    expect(settings).toContain(`href="/console/data/${owner.app.id}"`);
    const page = await (await owner.get(`/console/data/${owner.app.id}`)).text();
    for (const [address, type] of [
      [`/console/data/${owner.app.id}/download?files=1`, "application/x-tar"],
      [`/console/data/${owner.app.id}/download`, "application/x-ndjson"],
    ] as const) {
      expect(page).toContain(`href="${address}"`);
      const answer = await owner.get(address);
      expect(answer.headers.get("content-type")).toBe(type);
      expect(answer.headers.get("content-disposition")).toMatch(/^attachment; filename="Demo-/);
      expect(answer.headers.get("cache-control")).toBe("private, no-store");
      expect(linesIn(Buffer.from(await answer.arrayBuffer())).at(-1)).toMatchObject({ type: "end" });
    }
  });

  it("is only for owners", async () => {
    const { app } = await ownerAtData();
    const member = await service.makeMember(app.id, "maintainer");
    const headers = await service.signIn(member);
    for (const path of [`/console/data/${app.id}`, `/console/data/${app.id}/download`])
      expect((await fetch(service.baseUrl + path, { headers })).status).toBe(403);
  });

  it("creates an app from the file, once for each form", async () => {
    const owner = await ownerAtData();
    const file = await (await owner.get(`/console/data/${owner.app.id}/download`)).text();
    const first = await owner.send(file, { name: "Second" });
    const [at] = (first.headers.get("location") ?? "").split("?");
    expect([first.status, at]).toEqual([303, expect.stringMatching(/^\/console\/apps\/[\da-f-]{36}$/)]);
    expect(readingOf(await owner.open(`${at}?done=app-imported`))).toContain("The app was imported.");
    expect((await owner.send(file, { name: "Second" })).headers.get("location")).toContain(at);
  });

  it("shows the faults in the file as text", async () => {
    const owner = await ownerAtData();
    const answer = await owner.send('{"type":"export","format":1,"files":false}\n{"type":"<b>"}\n');
    expect(answer.status).toBe(400);
    const page = await answer.text();
    expect(page).toContain("Nothing was imported.");
    expect(page).toContain("line 2: ");
    expect(page).not.toContain("<b>&quot;");
    expect((await owner.send(undefined)).status).toBe(400);
  });

  it("refuses a form from another server's page, and a form without a session", async () => {
    const owner = await ownerAtData();
    const file = await (await owner.get(`/console/data/${owner.app.id}/download`)).text();
    const body = new FormData();
    body.append("file", new Blob([file]), "app.ndjson");
    for (const headers of [
      { ...owner.headers, origin: "https://evil.example" },
      { origin: service.baseUrl },
    ]) {
      const sent = await fetch(`${service.baseUrl}/console/import`, {
        method: "POST",
        headers,
        body,
        redirect: "manual",
      });
      expect([302, 303, 401, 403]).toContain(sent.status);
    }
    const apps = await owner.call("GET", "/apps");
    expect(Object(apps.body).items).toHaveLength(1);
  });
});
