import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../../../support/database/databases.ts";
import { answerOnPage } from "../../../support/mail/answer-on-page.ts";
import { type Service, startService } from "../../../support/service/service.ts";
import { makeTeam } from "../../../support/worlds/members/team.ts";

const rounds = 20;

describe.each(databases)("replies at the same time as other messages on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine, environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  it("are never stored after a message that their writer has not seen", async () => {
    const team = await makeTeam(service);
    const maria = await team.join("maintainer");
    const report = (body: object) =>
      service.request("POST", "/api/v1/feedback/remote", {
        headers: { "x-api-key": team.app.key },
        body: { type: "bug", message: "It broke.", ...body },
      });
    const outcomes = new Set<string>();
    for (let round = 0; round < rounds; round += 1) {
      const dedupeKey = `failure ${round}`;
      const first = await report({ dedupeKey });
      const path = `/feedback/${first.field("id")}`;
      const [reply] = await Promise.all([
        maria.call("POST", `${path}/messages`, {
          direction: "outbound",
          body: "On it.",
          expectedMessageId: null,
        }),
        [
          () => answerOnPage(first.field("statusUrl"), "It broke again."),
          () => report({ dedupeKey }),
          () => team.call("POST", `${path}/messages`, { direction: "note", body: "Wait." }),
        ][round % 3]?.(),
      ]);
      const { messages } = Object((await team.call("GET", path)).body);
      const directions = messages.map(({ direction }: { direction: string }) => direction);
      const at = directions.indexOf("outbound");
      expect([reply.status, at]).toEqual(reply.status === 201 ? [201, 0] : [409, -1]);
      outcomes.add(String(reply.status));
    }
    expect(outcomes).toContain("201");
  });
});
