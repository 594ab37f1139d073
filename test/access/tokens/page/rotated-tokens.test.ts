import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../../support/service/request.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import {
  bearer,
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../../support/worlds/owner-with-one-of-each.ts";

const day = 86_400_000;

describe("on the page of tokens in the console (rules K31, K32),", () => {
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
    owner.send(await owner.open("/console/tokens"), "/console/tokens", { kind: "agent", ...values });
  const status = async (token: string) =>
    (await service.request("GET", "/api/v1/agent/feedback", { headers: bearer(token) })).status;

  it("a new secret is shown once, and the old secret expires at the time that the person chose", async () => {
    const old = secretOf(await make({ label: "Nightly" }));
    const { items } = Object((await world.call("GET", "/tokens")).body);
    const [{ id }] = items.filter(({ label }: { label: string }) => label === "Nightly");
    const action = `/console/tokens/${id}/rotate`;
    const page = await owner.send(await owner.open("/console/tokens"), action, { graceMinutes: "0" });
    expect(readingOf(page)).toContain("The new token for Nightly");
    expect([await status(old), await status(secretOf(page))]).toEqual([401, 200]);
    expect((await owner.open("/console/tokens")).text).not.toContain(secretOf(page));
  });

  it("a token with an end shows this end, and shows after it that it has ended", async () => {
    const token = secretOf(await make({ label: "Monthly", days: "30" }));
    expect(readingOf(await owner.open("/console/tokens"))).toMatch(/Monthly[\s\S]*ends /);
    expect(await status(token)).toBe(200);
    service.clock.advance(30 * day);
    expect(await status(token)).toBe(401);
  });
});
