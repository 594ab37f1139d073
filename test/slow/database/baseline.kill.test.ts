import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { baseline } from "../../../server/database/migrations.ts";
import { databaseFromBefore } from "../../support/before-baseline/before-baseline.ts";
import { catalogOf } from "../../support/database/catalog.ts";
import { databases } from "../../support/database/databases.ts";
import { type ChildProgram, childProgram } from "../../support/programs/child-program.ts";
import { everyRowOf } from "../../support/service/deployment-rows.ts";

const applied = "SELECT number, name, checksum, applied_at FROM migrations ORDER BY number";

let stamping: ChildProgram;
beforeAll(async () => {
  stamping = await childProgram(join(import.meta.dirname, "../../support/before-baseline/stamping.ts"));
});
afterAll(() => stamping.remove());

describe.each(databases)("a server that is killed while it marks an old database, on $name,", (engine) => {
  it("leaves the database unchanged, and the next server starts", async () => {
    const place = await databaseFromBefore(engine);
    onTestFinished(() => place.remove());
    const before = await place.open({ migrations: "none" });
    const migrations = await before.all(applied);
    const rows = await everyRowOf(before);
    const catalog = await catalogOf(before);
    await before.close();

    const server = stamping.start({ STAMPING: JSON.stringify({ address: place.address }) });
    await server.printed(1);
    await server.kill();

    const left = await place.open({ migrations: "none" });
    expect(await left.all(applied)).toEqual(migrations);
    expect(await catalogOf(left)).toEqual(catalog);
    expect(await everyRowOf(left)).toEqual(rows);
    const database = await place.open({ migrations: [baseline] });
    expect(await database.all(applied)).toMatchObject([{ number: baseline.number, name: "baseline" }]);
    expect(await everyRowOf(database)).toEqual(rows);
  });
});
