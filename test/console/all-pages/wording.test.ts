import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { auditActionNames } from "../../../server/access/audit/page.tsx";
import { notices } from "../../../server/console/routes.ts";
import { reasonSentences } from "../../../server/testing/cycles/page/standing.tsx";
import { errorCatalogue } from "../../../src/contract/errors.ts";
import { readingOf } from "../../support/browser/browser-without-scripts.ts";
import { everyPage, openDemo } from "../../support/browser/demo-pages.ts";
import { type Service, startService } from "../../support/service/service.ts";

/** Words that are hard for readers of another mother tongue. */
const riddles =
  /\b(told|whoever|whatever|who asked|asked for it|shall|no more|nobody but|seen by you alone|to come|present key|called off|call(?:ed)? .{1,12} off|works no|takes no|goes on in|leads elsewhere|ahead of)\b/gi;

describe("the words of the console", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  it("are plain words on every page", async () => {
    const { visitor } = await openDemo(service);
    for (const [path, page] of await everyPage(service, visitor))
      expect([path, readingOf(page).match(riddles)]).toEqual([path, null]);
  });

  it("are plain words in the audit, in notes and in refusals", () => {
    const texts = [...auditActionNames.values(), ...notices.done.values(), ...Object.values(reasonSentences)];
    const refusals = Object.values(errorCatalogue).map(({ message }) => message);
    for (const text of [...texts, ...refusals]) expect([text, text.match(riddles)]).toEqual([text, null]);
  });

  it("include only one name for each action", () => {
    expect(new Set(auditActionNames.values()).size).toBe(auditActionNames.size);
  });
});
