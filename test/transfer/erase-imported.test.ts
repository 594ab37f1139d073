import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databases } from "../support/database/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type Service, startService } from "../support/service/service.ts";
import { exportFile, importFile } from "../support/worlds/transfer/app-file.ts";
import { makeFullApp } from "../support/worlds/transfer/full-app.ts";

describe.each(databases)("people of an imported app, on $name", (engine) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it("can be erased by the new owner: authors, actors of the audit and senders", async () => {
    const world = await makeFullApp(service);
    const file = await exportFile(service, world.headers, world.app.id, true);
    const headers = await service.signIn(await service.makeUser());
    const appId = (await importFile(service, headers, file)).field("appId");
    for (const email of [world.owner.email, "grace@example.org"]) {
      expect((await exportFile(service, headers, appId)).toString()).toContain(email);
      const begun = await service.request("POST", "/api/v1/console/people/erase", {
        headers,
        body: { email },
      });
      await eventually(async () => {
        const path = `/api/v1/console/people/erasures/${begun.field("id")}`;
        expect((await service.request("GET", path, { headers })).field("status")).toBe("done");
      });
      expect((await exportFile(service, headers, appId)).toString()).not.toContain(email);
    }
    const again = await importFile(service, headers, await exportFile(service, headers, appId, true));
    expect(again.status, again.text).toBe(201);
  });
});
