import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runAdmin } from "../../../server/admin/main.ts";
import { everyTable } from "../../../server/backup/store.ts";
import { tidy } from "../../../server/jobs/housekeeping.ts";
import { databases } from "../../support/database/databases.ts";
import { type ChildProgram, childProgram } from "../../support/programs/child-program.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { torture } from "../../support/torture.ts";
import type { OwnerWithOneOfEach } from "../../support/worlds/owner-with-one-of-each.ts";
import { exportFile } from "../../support/worlds/transfer/app-file.ts";
import { makeFullApp } from "../../support/worlds/transfer/full-app.ts";

let importer: ChildProgram;
beforeAll(async () => {
  importer = await childProgram(join(import.meta.dirname, "../../support/programs/app-importer.ts"));
});
afterAll(() => importer.remove());

/** Tables that change by themselves, or that no import changes. */
const others = new Set(["thread_changes", "change_counts", "last_times", "rate_limits", "deployment"]);

describe.each(databases)("an import by the operator, on $name", (engine) => {
  let service: Service;
  let world: OwnerWithOneOfEach;
  let file: string;
  beforeAll(async () => {
    service = await startService({ engine });
    world = await makeFullApp(service);
    await tidy(service.deps);
    file = join(service.deps.settings.data, "app.tar");
    await writeFile(file, await exportFile(service, world.headers, world.app.id, true));
  });
  afterAll(() => service.stop());

  const counts = async () => {
    const { database } = service.deps;
    const tables = (await everyTable(database)).filter(({ name }) => !others.has(name));
    const rows = tables.map(async ({ name }) => {
      const found = await database.get<{ n: number }>(`SELECT count(*) AS n FROM ${name}`);
      return [name, Number(found?.n)] as const;
    });
    return Object.fromEntries(await Promise.all(rows));
  };
  const location = () => {
    const { address } = service.database;
    return { address, data: service.deps.settings.data, file, owner: world.owner.email };
  };
  const start = (killAfter?: number) =>
    importer.start({ IMPORTER: JSON.stringify({ ...location(), killAfter }) });

  it("leaves nothing visible if it is killed at any step, and in the end nothing at all", async () => {
    const before = await counts();
    const whole = start();
    await whole.ended();
    const steps = Number(whole.lines[0]);
    expect(steps).toBeGreaterThan(4);
    const apps = Object((await world.call("GET", "/apps")).body).items;
    expect(apps).toHaveLength(2);
    await world.call("DELETE", `/apps/${apps[1].id}`);
    // The audit keeps the entries of a deleted app.
    const { audit, former_apps, ...content } = await counts();
    expect(content).toEqual({ ...before, audit: undefined, former_apps: undefined });
    const tried = torture ? steps : 3;
    for (let at = 1; at <= tried; at++) {
      const step = Math.max(1, Math.floor((at * (steps - 1)) / tried));
      const killed = start(step);
      await killed.ended();
      expect(killed.lines).toEqual([]);
      expect(Object((await world.call("GET", "/apps")).body).items).toHaveLength(1);
      // The clock of this server is weeks ahead of the clock of the killed process.
      await tidy(service.deps);
      expect(await counts(), `after step ${step}`).toEqual({ ...before, audit, former_apps });
    }
  });

  it("reports an unknown owner and a missing file", async () => {
    const { address, data } = location();
    const place = { data, ...("url" in address ? { databaseUrl: address.url } : {}) };
    if (!("url" in address)) return;
    const order = { command: "app import", file, owner: world.owner.email } as const;
    await expect(runAdmin({ ...place, ...order, owner: "nobody@example.org" })).rejects.toThrow("no account");
    await expect(runAdmin({ ...place, ...order, file: "/nowhere.tar" })).rejects.toThrow("cannot be read");
    const imported = await runAdmin({ ...place, ...order, name: "Pantry" });
    const app = await world.call("GET", `/apps/${imported.appId}`);
    expect(app.body).toMatchObject({ name: "Pantry", role: "owner" });
  });
});
