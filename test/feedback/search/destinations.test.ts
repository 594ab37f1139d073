import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";

describe.each(databases)("the pages and texts that a search offers on $name", (engine) => {
  let service: Service;
  let team: Awaited<ReturnType<typeof makeTeam>>;
  let headers: Record<string, string>;
  let faq: string;
  let note: string;
  beforeAll(async () => {
    service = await startService({ engine });
    team = await makeTeam(service);
    headers = await service.signIn(team.owner);
    const translations = { de: { question: "Wie teile ich eine Einkaufsliste?", answer: "Mit dem Knopf." } };
    const entry = { question: "How do I share a list?", answer: "Press the button.", translations };
    faq = (await team.call("POST", `${team.at}/faqs`, entry)).field("id");
    const release = {
      ...{ version: "2.4.1", title: "Maps", body: "New colours." },
      translations: { de: { title: "Landkarten", body: "Neue Farben." } },
    };
    note = (await team.call("POST", `${team.at}/changelog`, release)).field("id");
  });
  afterAll(() => service.stop());

  const offered = async (q: string, who = headers): Promise<[string, string][]> => {
    const page = await createBrowserWithoutScripts(service, who).open(
      `/console/search?${new URLSearchParams({ q })}`,
    );
    const lists = page.text.split('aria-label="Pages, FAQ and release notes"')[1] ?? "";
    return [...lists.matchAll(/<a class="to" href="([^"]+)"><bdi>([^<]+)<\/bdi>/g)].map(
      ([, href = "", name = ""]) => [href, name],
    );
  };

  it("are found by their words in every language, and are shown with the name that matched", async () => {
    const faqAt = `/console/faqs/${team.app.id}/${faq}`;
    expect(await offered("share list")).toEqual([[faqAt, "How do I share a list?"]]);
    expect(await offered("einkaufsliste teile")).toEqual([[faqAt, "Wie teile ich eine Einkaufsliste?"]]);
    const noteAt = `/console/changelog/${team.app.id}/${note}`;
    expect(await offered("maps")).toEqual([[noteAt, "2.4.1: Maps"]]);
    expect(await offered("landkarten 2.4.1")).toEqual([[noteAt, "2.4.1: Landkarten"]]);
    expect(await offered("maps landkarten")).toEqual([]);
  });

  it("belong to the apps of the person", async () => {
    const stranger = await service.signIn(await service.makeUser());
    for (const q of ["einkaufsliste", "landkarten"]) expect(await offered(q, stranger)).toEqual([]);
  });
});
