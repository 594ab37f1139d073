import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { unreadCounts } from "../../../server/feedback/unread/store/news.ts";
import { databases } from "../../support/database/databases.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam, type Team } from "../../support/worlds/members/team.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const List = z.object({ items: z.array(z.looseObject({ id: z.string() })) });

describe.each(databases)("an activity at the instant of the last view on $name", (engine) => {
  let service: Service;
  let team: Team;
  beforeAll(async () => {
    service = await startService({ engine });
    team = await makeTeam(service);
    service.clock.advance(1_000);
  });
  afterAll(() => service.stop());

  const send = (dedupeKey: string) => sendFeedback(service, team.app.key, { dedupeKey });
  const read = (id: string) => team.call("PUT", `/feedback/${id}/read`, { read: true });
  const unread = async () => {
    const { body } = await team.call("GET", `${team.at}/feedback?unread=true`);
    const counts = await unreadCounts(service.deps.database, team.owner.id);
    return [
      List.parse(body).items.map(({ id }) => id),
      counts.find(({ appId }) => appId === team.app.id)?.unread,
    ];
  };

  it("makes the thread unread, in the list and in the count", async () => {
    const id = await send("a");
    await read(id);
    expect(await unread()).toEqual([[], 0]);
    await send("a");
    expect(await unread()).toEqual([[id], 1]);
  });

  it("makes the thread unread even if everything of that time was marked as read", async () => {
    service.clock.advance(1_000);
    const id = await send("b");
    await team.call("PUT", `${team.at}/feedback/read`, {});
    await read(id);
    expect(await unread()).toEqual([[], 0]);
    await send("b");
    expect(await unread()).toEqual([[id], 1]);
  });

  it("counts a thread once even if it is read and changed several times", async () => {
    service.clock.advance(1_000);
    await team.call("PUT", `${team.at}/feedback/read`, {});
    service.clock.advance(1_000);
    const [first, second] = [await send("c"), await send("d")];
    for (let round = 0; round < 3; round += 1) {
      await read(first);
      service.clock.advance(1_000);
      await send("c");
    }
    await read(first);
    expect(await unread()).toEqual([[second], 1]);
  });
});
