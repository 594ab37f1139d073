import { readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDatabase } from "../../server/database/open.ts";
import { forgeBackup } from "../support/backups/forged-backup.ts";
import { databases, sqlite, type TestEngine } from "../support/database/databases.ts";
import { dataUrl, png } from "../support/files/sample-files.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { type Deployment, makeDeployment } from "../support/service/deployment.ts";
import { makeOwnerWithOneOfEach, sendFeedback } from "../support/worlds/owner-with-one-of-each.ts";

const secret = "the secret of a deployment of the tests";

async function deploy(engine: TestEngine) {
  const deployment = await makeDeployment(engine);
  onTestFinished(() => deployment.remove());
  return deployment;
}

async function makeBackup(engine: TestEngine) {
  const old = await deploy(engine);
  await writeFile(join(old.data, "secret"), secret);
  const service = await old.serve({ secret });
  const { app } = await makeOwnerWithOneOfEach(service);
  await sendFeedback(service, app.key, { images: [dataUrl(png(3_000))] });
  await service.stop();
  const file = join(await temporaryFolder(), "backup.tar");
  await old.admin({ command: "backup", file });
  return file;
}

async function forged(file: string, change: (name: string, text: string) => string | undefined) {
  const to = join(dirname(file), "forged.tar");
  await forgeBackup(file, to, change);
  return to;
}

const addressOf = ({ data, databaseUrl }: Deployment) =>
  databaseUrl === undefined ? { file: join(data, "innkeep.db") } : { url: databaseUrl };

describe("a folder in place of a backup", () => {
  it("is reported as a folder", async () => {
    const fresh = await deploy(sqlite);
    const file = await temporaryFolder();
    for (const command of ["restore", "backup verify"] as const)
      await expect(fresh.admin({ command, file })).rejects.toThrow(`${file} is a folder, not a backup.`);
  });
});

describe.each(databases)("a backup that another person has changed, on $name", (engine) => {
  it("causes the execution of no SQL statement from the name of a table", async () => {
    const evil = "feedback; CREATE TABLE evil (a text); DELETE FROM feedback";
    const file = await forged(await makeBackup(engine), (name, text) => {
      if (name !== "backup.json") return text;
      const header = JSON.parse(text);
      return JSON.stringify({ ...header, tables: [...header.tables, { name: evil, columns: [] }] });
    });
    const fresh = await deploy(engine);
    await expect(fresh.admin({ command: "restore", file })).rejects.toThrow(
      "does not match this version of Innkeep",
    );
    if (engine.engine === "sqlite") return expect(await readdir(fresh.data)).not.toContain("innkeep.db");
    const database = await openDatabase(addressOf(fresh), { migrations: "none" });
    onTestFinished(() => database.close());
    expect(
      await database.all("SELECT 1 AS one FROM information_schema.tables WHERE table_name = 'evil'"),
    ).toEqual([]);
  });

  it("leaves a folder or database into which a valid backup can be restored", async () => {
    const whole = await makeBackup(engine);
    const file = await forged(whole, (name, text) => {
      if (name === "contents.json") return text.replace(/"feedback":\d+/, '"feedback":9999');
      return text;
    });
    const fresh = await deploy(engine);
    await expect(fresh.admin({ command: "restore", file })).rejects.toThrow("rows, not 9999");
    expect(await fresh.admin({ command: "restore", file: whole })).toMatchObject({ files: 2 });
    expect(await readFile(join(fresh.data, "secret"), "utf8")).toBe(secret);
    expect(await fresh.admin({ command: "check" })).toEqual({ ok: true, files: 2, orphans: 0 });
  });
});
