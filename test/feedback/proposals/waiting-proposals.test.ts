import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { proposals } from "../../../server/feedback/proposals/store.ts";
import { feedbackThreads } from "../../../server/feedback/threads/store/threads.ts";
import {
  type BrowserWithoutScripts,
  createBrowserWithoutScripts,
  readingOf,
} from "../../support/browser/browser-without-scripts.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { fillThreads } from "../../support/worlds/owner-with-one-of-each.ts";

describe("the pages of 137 waiting proposals", () => {
  let service: Service;
  let owner: BrowserWithoutScripts;
  beforeAll(async () => {
    service = await startService();
    const person = await service.makeUser();
    const { id } = await service.makeApp(person);
    owner = createBrowserWithoutScripts(service, await service.signIn(person));
    await fillProposals(service, id, 137);
  });
  afterAll(() => service.stop());

  const subjects = ({ text }: Answer) => [...text.matchAll(/Subject (\d+)/g)].map(([, at]) => Number(at));
  const nextOf = ({ text }: Answer) => /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll("&amp;", "&");
  const subjectsFrom = async (path: string): Promise<number[]> => {
    const page = await owner.open(path);
    const next = nextOf(page);
    return [...subjects(page), ...(next === undefined ? [] : await subjectsFrom(next))];
  };

  it("contain all proposals, the oldest first", async () => {
    expect(await subjectsFrom("/console")).toEqual(Array.from({ length: 137 }, (_, at) => at));
  });

  it("contain all proposals, the newest first", async () => {
    expect(await subjectsFrom("/console?order=newest")).toEqual(
      Array.from({ length: 137 }, (_, at) => 136 - at),
    );
  });

  it("show counts up to 99, and offer both orders", async () => {
    const page = await owner.open("/console");
    expect(readingOf(page)).toMatch(/99\+ proposals to decide Longest waiting first Newest first/);
    expect(readingOf(page)).toContain("99+ proposals wait");
    expect(page.text).toContain('href="/console?order=newest"');
  });

  it("do not exist at an invalid address", async () => {
    expect((await owner.open("/console?cursor=nonsense")).status).toBe(404);
  });
});

/** Writes threads with one proposal each directly into the database, each one second younger than the previous one. */
async function fillProposals(service: Service, appId: string, count: number): Promise<void> {
  const { deps } = service;
  const threads = Array.from({ length: count }, (_, at) => ({ subject: `Subject ${at}` }));
  await fillThreads(service, appId, threads);
  const rows = await deps.database.all<{ id: string; createdAt: string }>(
    `SELECT id, created_at AS "createdAt" FROM feedback WHERE app_id = ?`,
    appId,
  );
  await deps.database.write(async (tx) => {
    for (const { id: feedbackId, createdAt } of rows) {
      const id = deps.newId();
      await proposals.insert(tx, { id, feedbackId, summary: "Mend it", plan: "1. Mend it", createdAt });
      await feedbackThreads.setProposalStatus(tx, feedbackId);
    }
  });
}
