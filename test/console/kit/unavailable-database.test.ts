import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createBrowserWithoutScripts } from "../../support/browser/browser-without-scripts.ts";
import { sqlite } from "../../support/database/databases.ts";
import {
  type FailingDatabase,
  failingDatabase,
  unreachable,
} from "../../support/database/failing-database.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { makeTeam } from "../../support/worlds/members/team.ts";

describe("a page while the database cannot be reached", () => {
  let database: FailingDatabase;
  let service: Service;
  beforeAll(async () => {
    database = await failingDatabase(sqlite);
    service = await startService({ database });
  });
  afterAll(async () => {
    await service.stop();
    await database.remove();
  });

  it("logs the route and the cause, but not the secret of an invitation that is in its address", async () => {
    const team = await makeTeam(service);
    const { token } = await team.invite("later@example.org");
    const link = `/console/invitations/${token}`;
    const headers = await service.signIn(await service.makeUser("later@example.org"));
    const person = createBrowserWithoutScripts(service, headers);
    const page = await person.open(link);
    database.trouble(unreachable(), "writes");
    await person.send(page, `${link}/accept`, {});
    database.over();
    expect(service.logged()).toContain('"route":"/api/v1/console/invitations/:token');
    expect(service.logged()).not.toContain(token);
  });
});
