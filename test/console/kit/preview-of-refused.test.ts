import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import { type Service, startService } from "../../support/service/service.ts";
import {
  makeOwnerWithOneOfEach,
  type OwnerWithOneOfEach,
} from "../../support/worlds/owner-with-one-of-each.ts";

describe("the preview of a refused form without scripts", () => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  beforeAll(async () => {
    service = await startService();
    world = await makeOwnerWithOneOfEach(service);
  });
  afterAll(() => service.stop());

  it.each([
    ["an entry of the FAQ", "faqs", "faqId", { question: " ", answer: "Typed **here**" }],
    ["a new entry of the FAQ", "faqs", undefined, { question: " ", answer: "Typed **here**" }],
    ["a release note", "changelog", "entryId", { title: " ", body: "Typed **here**" }],
    ["a new release note", "changelog", undefined, { title: " ", version: "3.0", body: "Typed **here**" }],
  ] as const)("shows the typed text of %s", async (_, part, id, typed) => {
    const owner = createBrowserWithoutScripts(service, world.headers);
    const path = `/console/${part}/${world.app.id}/${id === undefined ? "new" : world[id]}`;
    const refused = await owner.send(await owner.open(path), path, typed);
    expect(refused.status).toBe(400);
    expect(refused.text).toContain("Typed <strong>here</strong>");
  });
});
