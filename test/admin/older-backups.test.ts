import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { withDatabase } from "../../server/admin/data-location.ts";
import { migrations } from "../../server/database/migrations.ts";
import { openDatabase } from "../../server/database/open.ts";
import { unlock } from "../../server/start/unlock.ts";
import { forgeBackup } from "../support/backups/forged-backup.ts";
import {
  backupFromBefore,
  commitBefore,
  fillFromBefore,
  secretsBefore,
} from "../support/before-baseline/before-baseline.ts";
import { databases, type TestEngine } from "../support/database/databases.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { type Deployment, makeDeployment } from "../support/service/deployment.ts";
import { rowsOf } from "../support/service/deployment-rows.ts";

const advice = `Restore it with commit ${commitBefore} of \`main\`. Start once with commit ${commitBefore} of \`main\`, then with this version.`;

async function deploy(engine: TestEngine) {
  const deployment = await makeDeployment(engine);
  onTestFinished(() => deployment.remove());
  return deployment;
}

const addressOf = ({ data, databaseUrl }: Deployment) =>
  databaseUrl === undefined ? { file: join(data, "innkeep.db") } : { url: databaseUrl };

async function deploymentFromBefore(engine: TestEngine) {
  const deployment = await deploy(engine);
  await fillFromBefore(addressOf(deployment));
  return deployment;
}

const migrationsIn = (deployment: Deployment) =>
  withDatabase(deployment, "leave", (database) =>
    database.all("SELECT number, name FROM migrations ORDER BY number"),
  );

const current = migrations.map(({ number, name }) => ({ number, name }));

const engines = databases.flatMap((from) =>
  databases.map((to) => ({ from, to, names: `${from.name} to ${to.name}` })),
);

describe.each(engines)("a backup from the time before the baseline, from $names", ({ from, to }) => {
  it("can be verified, and restored with every row", async () => {
    const old = await deploymentFromBefore(from);
    const file = await backupFromBefore(from.engine);
    const fresh = await deploy(to);
    expect(await fresh.admin({ command: "backup verify", file })).toMatchObject({ verified: true });
    await fresh.admin({ command: "restore", file, secret: secretsBefore[from.engine] });
    expect(await migrationsIn(fresh)).toEqual(current);
    expect(await fresh.admin({ command: "check" })).toMatchObject({ ok: true, files: 1 });
    // The tables of this version have more columns.
    await old.admin({ command: "migrate" });
    expect(await rowsOf(fresh)).toEqual(await rowsOf(old));
    await withDatabase(fresh, "leave", (database) =>
      unlock(database, { secret: secretsBefore[from.engine], old: [] }),
    );
  });
});

describe.each(databases)("a deployment from the time before the baseline, on $name", (engine) => {
  it("can be backed up before its first start with this version, and restored", async () => {
    const old = await deploymentFromBefore(engine);
    const file = join(await temporaryFolder(), "backup.tar");
    await old.admin({ command: "backup", file });
    expect(await migrationsIn(old)).toHaveLength(67);
    const fresh = await deploy(engine);
    await fresh.admin({ command: "restore", file });
    await old.admin({ command: "migrate" });
    // The fixture is a database without its folder of files, and a restore removes references to missing files.
    const nameFiles = /^\["(?:uploads|mail_originals)"/;
    expect(await rowsOf(fresh)).toEqual((await rowsOf(old)).filter((row) => !nameFiles.test(row)));
  });

  it("gets its migrations by the command innkeep admin migrate", async () => {
    const old = await deploymentFromBefore(engine);
    await expect(old.admin({ command: "check" })).rejects.toThrow("Run `innkeep admin migrate`.");
    expect(await old.admin({ command: "migrate" })).toEqual({ migration: current.at(-1)?.number });
    expect(await migrationsIn(old)).toEqual(current);
  });

  it("can be started with its secret, and is opened only with this secret", async () => {
    const old = await deploymentFromBefore(engine);
    const service = await old.serve({ secret: secretsBefore[engine.engine] });
    await service.stop();
    expect(await migrationsIn(old)).toEqual(current);
    const openWith = (secret: string) =>
      withDatabase(old, "leave", (database) => unlock(database, { secret, old: [] }));
    await expect(openWith("another secret")).rejects.toThrow("INNKEEP_SECRET is not the secret");
    await openWith(secretsBefore[engine.engine]);
  });

  it("is refused by every command if it is too old, with the commit that can update it", async () => {
    const old = await deploymentFromBefore(engine);
    const database = await openDatabase(addressOf(old), { migrations: "none" });
    await database.write((tx) => tx.run("DELETE FROM migrations WHERE number = 116"));
    await database.close();
    const file = join(await temporaryFolder(), "backup.tar");
    for (const command of [
      { command: "migrate" },
      { command: "check" },
      { command: "backup", file },
      { command: "repair" },
      { command: "adopt" },
    ] as const)
      await expect(old.admin(command)).rejects.toThrow(`Start once with commit ${commitBefore} of \`main\``);
    await expect(old.serve()).rejects.toThrow(`Start once with commit ${commitBefore} of \`main\``);
    expect(await migrationsIn(old)).toHaveLength(66);
  });
});

describe.each(databases)("a backup that is too old, on $name", (engine) => {
  /** The same backup with other migrations. */
  async function backupWith(change: (names: { number: number; name: string }[]) => object[]) {
    const file = join(await temporaryFolder(), "old.tar");
    await forgeBackup(await backupFromBefore(engine.engine), file, (name, text) => {
      if (name !== "backup.json") return text;
      const header = JSON.parse(text);
      return JSON.stringify({ ...header, migrations: change(header.migrations) });
    });
    return file;
  }

  async function expectRefused(file: string, message: string) {
    const fresh = await deploy(engine);
    for (const command of ["backup verify", "restore"] as const)
      await expect(fresh.admin({ command, file })).rejects.toThrow(message);
    expect(await readdir(fresh.data)).toEqual([]);
    if (fresh.databaseUrl === undefined) return;
    const database = await openDatabase(addressOf(fresh), { migrations: "none" });
    onTestFinished(() => database.close());
    expect(await database.all("SELECT 1 AS one FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
  }

  it("is refused before anything is written, with the commit that can restore it", async () => {
    const file = await backupWith((names) => names.slice(0, 22));
    await expectRefused(
      file,
      `This version of Innkeep cannot use this backup: it has 22 migrations up to 29 "authors", but this version needs all 67 migrations up to 116.`,
    );
    await expectRefused(file, advice);
  });

  it("is refused if it has other migrations", async () => {
    const file = await backupWith((names) =>
      names.map((one, at) => (at > 0 ? one : { ...one, name: "one" })),
    );
    await expectRefused(
      file,
      `its migrations are not the 67 migrations that this version can continue. ${advice}`,
    );
  });

  it("is refused as too new if it has a migration that this program does not know", async () => {
    const file = await backupWith((names) => [...names, { number: 118, name: "later" }]);
    await expectRefused(file, "This backup was created by a newer version of Innkeep.");
  });
});

describe.each(databases.filter(({ engine }) => engine === "postgres"))(
  "an empty database on $name",
  (engine) => {
    it("of this version refuses a backup with another schema, in one sentence", async () => {
      const fresh = await deploy(engine);
      await fresh.admin({ command: "migrate" });
      const file = await backupFromBefore("sqlite");
      await expect(fresh.admin({ command: "restore", file, secret: secretsBefore.sqlite })).rejects.toThrow(
        "The database is empty, but its tables belong to another version of Innkeep than the backup. Choose a new database with --database-url.",
      );
    });
  },
);
