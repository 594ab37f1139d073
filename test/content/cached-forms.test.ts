import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { changelog as noteRows } from "../../server/content/changelog/store.ts";
import { faqs as faqRows } from "../../server/content/faqs/store.ts";
import { refusal } from "../support/service/refusals.ts";
import { type Service, startService } from "../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../support/worlds/app-with-owner-and-agent.ts";

const faqPath = "/api/v1/faqs/remote";
const de = { question: "Wie?", answer: "So." };

describe("the answers with the FAQ and the release notes of an app", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
    const faqs = [
      { question: "A?", answer: "A.", translations: { de } },
      { question: "B?", answer: "B.", translations: { "de-AT": de } },
    ];
    await service.request("PUT", faqPath, { headers: { ...cast.key, "if-match": "*" }, body: { faqs } });
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => service.stop());

  const get = (path: string) => service.request("GET", path, { headers: cast.key });
  const languagesOf = async (lang: string) => {
    const { body } = await get(`${faqPath}?lang=${lang}`);
    return [body].flat().map((entry) => Object(entry).language);
  };

  it("with the FAQ are built once for all languages that no entry has", async () => {
    const list = vi.spyOn(faqRows, "list");
    const answers = await Promise.all(
      ["xx", "xy", "fr-CA", "", "no tag"].map((lang) => get(`${faqPath}?lang=${lang}`)),
    );
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body).toMatchObject([{ question: "A?", language: null }, { language: null }]);
    expect(list).toHaveBeenCalledTimes(1);
  });

  it("with the FAQ are built once for all languages that find the same translations", async () => {
    const list = vi.spyOn(faqRows, "list");
    for (const lang of ["de", "de-CH", "DE_li", "de-DE-1996"])
      expect(await languagesOf(lang)).toEqual(["de", null]);
    expect(list).toHaveBeenCalledTimes(1);
    for (const lang of ["de-AT", "de-AT-1996"]) expect(await languagesOf(lang)).toEqual(["de", "de-AT"]);
    expect(list).toHaveBeenCalledTimes(2);
  });

  it("with the FAQ have a translation as soon as it is saved", async () => {
    expect(await languagesOf("fr")).toEqual([null, null]);
    const body = { question: "C?", answer: "C.", translations: { fr: de } };
    const path = `/api/v1/console/apps/${cast.appId}/faqs`;
    expect((await service.request("POST", path, { headers: cast.person, body })).status).toBe(201);
    expect(await languagesOf("fr-CA")).toEqual([null, null, "fr"]);
  });

  it("are not built again for a replacement of the FAQ that is refused again", async () => {
    const list = vi.spyOn(faqRows, "list");
    const put = (ifMatch: string) =>
      service.request("PUT", faqPath, { headers: { ...cast.key, "if-match": ifMatch }, body: { faqs: [] } });
    const wrong = `"${"a".repeat(27)}"`;
    for (let at = 0; at < 5; at += 1)
      expect(await put(wrong)).toMatchObject(refusal(412, "precondition_failed"));
    expect(list).toHaveBeenCalledTimes(1);
    for (const query of ["", "?include=push", "?include=translations"]) {
      const etag = (await get(faqPath + query)).headers.get("etag") ?? "";
      expect((await put(etag)).status).toBe(200);
      expect(await put(wrong)).toMatchObject(refusal(412, "precondition_failed"));
      await service.request("POST", faqPath, { headers: cast.key, body: de });
      expect(await put(etag)).toMatchObject(refusal(412, "precondition_failed"));
    }
  });

  it("are compared again if the FAQ changes while a replacement is prepared", async () => {
    const etag = async () => (await get(faqPath)).headers.get("etag") ?? "";
    const put = (ifMatch: string) =>
      service.request("PUT", faqPath, { headers: { ...cast.key, "if-match": ifMatch }, body: { faqs: [] } });
    const { list } = faqRows;
    const read = await etag();
    vi.spyOn(faqRows, "list").mockImplementationOnce(async (...given) => {
      const before = await list(...given);
      await service.request("POST", faqPath, { headers: cast.key, body: de });
      return before;
    });
    expect(await put(read)).toMatchObject(refusal(412, "precondition_failed"));
    expect((await put(await etag())).status).toBe(200);
  });

  it("with release notes are built once for all values that choose the same notes", async () => {
    const path = "/api/v1/changelog/remote";
    for (const version of ["1.0.0", "2.0.0", "3.0.0"])
      await service.request("POST", `/api/v1/console/apps/${cast.appId}/changelog`, {
        headers: cast.person,
        body: { version, title: version, publish: true, translations: { de: { title: "Neu" } } },
      });
    const built = [vi.spyOn(noteRows, "listPublished"), vi.spyOn(noteRows, "listByIds")];
    const count = () => built.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    const titles = async (query: string) => {
      const { entries } = Object((await get(`${path}?${query}`)).body);
      return entries.map(({ title }: { readonly title: string }) => title);
    };
    for (const since of ["1.0.0", "v1.0.0", "1.0.1", "1.2", "1.9.9"])
      expect(await titles(`since=${since}`)).toEqual(["3.0.0", "2.0.0"]);
    expect(count()).toBe(1);
    for (const since of ["", "0.1", "0.2", "made-up", "words"])
      expect(await titles(`since=${since}`)).toEqual(["3.0.0", "2.0.0", "1.0.0"]);
    expect(count()).toBe(2);
    for (const since of ["3.0.0", "4", "5"]) expect(await titles(`since=${since}`)).toEqual([]);
    expect(count()).toBe(3);
    for (const lang of ["xx", "fr", ""])
      expect(await titles(`lang=${lang}`)).toEqual(["3.0.0", "2.0.0", "1.0.0"]);
    expect(count()).toBe(4);
    for (const lang of ["de", "de-AT", "de-CH"])
      expect(await titles(`lang=${lang}`)).toEqual(["Neu", "Neu", "Neu"]);
    expect(count()).toBe(5);
  });
});
