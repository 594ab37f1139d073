import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import { consolePaths } from "../../support/browser/console-paths.ts";
import { unknownId } from "../../support/service/endpoints.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("a page of the console", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
    owner = createBrowserWithoutScripts(service, world.headers);
  });
  afterAll(() => service.stop());

  const paths = () => consolePaths(world);

  it("answers its owner with HTML", async () => {
    for (const path of paths()) {
      const page = await owner.open(path);
      expect([path, page.status]).toEqual([path, 200]);
      expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    }
  });

  it("has strict headers, also if it refuses a request", async () => {
    for (const path of [...paths(), "/console/sign-in", "/console/nowhere"]) {
      const { headers } = await owner.open(path);
      expect(Object.fromEntries(headers)).toMatchObject({
        "content-security-policy":
          "default-src 'none'; style-src 'self'; script-src 'self'; worker-src 'self'; connect-src 'self'; img-src 'self'; " +
          "media-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
        "cache-control": "no-store",
        "cross-origin-opener-policy": "same-origin",
        "referrer-policy": "same-origin",
        "x-content-type-options": "nosniff",
      });
    }
  });

  it("contains no inline script or style, and no duplicate id", async () => {
    for (const path of paths()) {
      const { text } = await owner.open(path);
      expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
      const ids = [...text.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
      expect(ids).toEqual([...new Set(ids)]);
    }
  });

  it("asks a person without a session to sign in, and then shows the requested page", async () => {
    const stranger = createBrowserWithoutScripts(service);
    for (const path of [...paths(), `/console/feedback/${world.app.id}?q=a%20b&status=all`]) {
      const answer = await stranger.open(path);
      expect(answer.status).toBe(303);
      expect(answer.headers.get("location")).toBe(`/console/sign-in?${new URLSearchParams({ to: path })}`);
    }
  });

  it("answers 404 to the owner of another app", async () => {
    const other = createBrowserWithoutScripts(service, await service.signIn(await service.makeUser()));
    for (const path of paths().filter((path) => path.includes(world.app.id))) {
      const page = await other.open(path);
      expect([path, page.status]).toEqual([path, 404]);
    }
    for (const path of paths().filter((path) => !path.includes(world.app.id))) {
      const { status, text } = await other.open(path);
      expect([path, status]).toEqual([path, 200]);
      for (const id of [world.app.id, world.threadId, world.tokenId, world.deviceId])
        expect(text).not.toContain(id);
    }
  });

  it.each([
    "/console/nowhere",
    "/console/feedback/no-id",
    `/console/feedback/${unknownId}/${unknownId}`,
    "/console/audit?cursor=broken",
  ])("answers 404 in HTML at %s", async (path) => {
    const page = await owner.open(path);
    expect(page.status).toBe(404);
    expect(readingOf(page)).toContain("Nothing here");
  });

  it("of a thread is not shown within another app", async () => {
    const other = await service.makeApp(world.owner);
    expect((await owner.open(`/console/feedback/${other.id}/${world.threadId}`)).status).toBe(404);
  });

  it("answers 404 in JSON to a client that is not a browser", async () => {
    const answer = await service.request("GET", "/console/nowhere");
    expect([answer.status, answer.field("code")]).toEqual([404, "not_found"]);
  });

  it("says that an address accepts only forms", async () => {
    const page = await owner.open("/console/sign-out");
    expect([page.status, page.headers.get("allow")]).toEqual([405, "POST"]);
  });

  it("has style, script and icon at addresses that browsers can cache", async () => {
    const { text } = await owner.open("/console");
    const addresses = [...text.matchAll(/(?:href|src)="(\/console\/assets\/[^"]+)"/g)].map(
      ([, at]) => at ?? "",
    );
    expect(new Set(addresses).size).toBe(3);
    for (const address of addresses) {
      const asset = await service.request("GET", address);
      expect(asset.status).toBe(200);
      expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    }
  });

  it("has a welcome text for an owner without apps", async () => {
    const newcomer = createBrowserWithoutScripts(service, await service.signIn(await service.makeUser()));
    expect(readingOf(await newcomer.open("/console"))).toContain("Welcome to Innkeep");
  });

  it("shows the proposals of all apps that wait for a decision", async () => {
    const page = readingOf(await owner.open("/console"));
    expect(page).toContain("Mend it");
    expect(page).toContain("1 proposal waits");
  });
});

describe("a console at a separate address", () => {
  it("is served below the path of that address, and its links have that path", async () => {
    const service = await startService({
      environment: { INNKEEP_CONSOLE_URL: "https://desk.example/team/desk" },
    });
    const page = await createBrowserWithoutScripts(service).open("/team/desk");
    expect(page.headers.get("location")).toBe("/team/desk/sign-in?to=%2Fteam%2Fdesk");
    await service.stop();
  });
});
