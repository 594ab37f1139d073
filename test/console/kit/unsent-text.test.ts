import { afterAll, beforeAll, expect, it } from "vitest";
import { createBrowserWithoutScripts, readingOf } from "../../support/browser/browser-without-scripts.ts";
import { saveDraft } from "../../support/browser/save-draft.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

it("The page of unsent texts gives numbers to the threads of the person's apps, and to no others", async () => {
  const [team, other] = [await makeTeam(service), await makeTeam(service)];
  const [own, foreign] = [
    await sendFeedback(service, team.app.key),
    await sendFeedback(service, other.app.key),
  ];
  const drafts: readonly (readonly [Team, string])[] = [
    [team, own],
    [other, foreign],
  ];
  const headers = await service.signIn(team.owner);
  for (const [{ app }, id] of drafts)
    await saveDraft(service, headers, {
      page: `/console/feedback/${app.id}/${id}/edit`,
      texts: { replyBody: "Dear sender" },
    });
  const shown = readingOf(await createBrowserWithoutScripts(service, headers).open("/console/drafts"));
  expect(shown).toContain("Dear sender");
  const numberOf = async (id: string) =>
    (
      await service.deps.database.get<{ number: number | null }>(
        "SELECT number FROM feedback WHERE id = ?",
        id,
      )
    )?.number;
  expect(await numberOf(own)).toBe(1);
  expect(await numberOf(foreign)).toBeNull();
});
