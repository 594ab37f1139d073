import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withDatabase } from "../../../server/admin/data-location.ts";
import { type ArchiveFile, archiveIn, readHeader, verifyArchive } from "../../../server/backup/archive.ts";
import { databases, postgres, sqlite, type TestEngine } from "../../support/database/databases.ts";
import { dataUrl, pdf, png } from "../../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../../support/files/temporary-folder.ts";
import { runSeed } from "../../support/random-seed.ts";
import { type Deployment, makeDeployment } from "../../support/service/deployment.ts";
import { rowsOf } from "../../support/service/deployment-rows.ts";
import type { Service } from "../../support/service/service.ts";
import { makeAccount, postSession } from "../../support/sign-in/password-accounts.ts";
import { finishProposal } from "../../support/worlds/agents/approved-proposal.ts";
import {
  bearer,
  fillThreads,
  makeOwnerWithOneOfEach,
  sendFeedback,
} from "../../support/worlds/owner-with-one-of-each.ts";

let deployments: Deployment[] = [];
const deploy = async (engine: TestEngine) => {
  const deployment = await makeDeployment(engine);
  deployments.push(deployment);
  return deployment;
};
const newFile = async () => join(await temporaryFolder(), "backup.tar");
const serving = async <Result>(deployment: Deployment, use: (service: Service) => Promise<Result>) => {
  const service = await deployment.serve();
  return use(service).finally(() => service.stop());
};

beforeEach(() => {
  deployments = [];
});
afterEach(async () => {
  for (const deployment of deployments) await deployment.remove();
});

const engines = databases.flatMap((from) =>
  databases.map((to) => ({ from, to, names: `${from.name} to ${to.name}` })),
);

describe.each(engines)("a backup from $names", ({ from, to }) => {
  it("restores every row and every file", async () => {
    const old = await deploy(from);
    await serving(old, async (service) => {
      const { app, call, threadId } = await makeOwnerWithOneOfEach(service);
      await call("PUT", `/feedback/${threadId}/read`, { read: true });
      await call("PUT", `/apps/${app.id}/feedback/read`, {});
      await call("PUT", `/feedback/${threadId}/read`, { read: false });
      await finishProposal(service);
      await sendFeedback(service, app.key, {
        images: [dataUrl(png(5_000))],
        message: "Zoë’s 🦓 “quotes” \\ \n tab\t",
      });
      await sendFeedback(service, app.key, { attachments: [{ name: "a.pdf", data: dataUrl(pdf(9_000)) }] });
      await fillThreads(service, app.id, Array(350).fill({ message: "x".repeat(5_000) }));
    });
    const file = await newFile();
    expect(await old.admin({ command: "backup", file })).toMatchObject({ file, files: 3 });

    const fresh = await deploy(to);
    expect(await fresh.admin({ command: "restore", file })).toMatchObject({ files: 3 });
    expect(await rowsOf(fresh)).toEqual(await rowsOf(old));
    expect(await fresh.admin({ command: "check" })).toEqual({ ok: true, files: 3, orphans: 0 });
  });

  it("allows everything as before except the sessions: credentials, searches, new threads", async () => {
    const old = await deploy(from);
    const before = await serving(old, async (service) => {
      const world = await makeOwnerWithOneOfEach(service);
      const zebra = { message: "A zebra.", images: [dataUrl(png(5_000))], dedupeKey: "zebra" };
      await sendFeedback(service, world.app.key, zebra);
      const again = { ...zebra, message: "The same zebra.", name: "Grace", images: [dataUrl(png(5_001))] };
      await sendFeedback(service, world.app.key, again);
      return { ...world, account: await makeAccount(service) };
    });
    const file = await newFile();
    await old.admin({ command: "backup", file });
    const fresh = await deploy(to);
    await fresh.admin({ command: "restore", file });

    await serving(fresh, async (service) => {
      expect((await service.request("GET", "/api/v1/console/me", { headers: before.headers })).status).toBe(
        401,
      );
      expect((await postSession(service, before.account)).status).toBe(201);
      const headers = await service.signIn(before.owner);
      await sendFeedback(service, before.app.key, { message: "Another zebra." });
      const path = `/api/v1/console/apps/${before.app.id}/feedback?q=zebra`;
      const found = Object((await service.request("GET", path, { headers })).body);
      expect(found.items).toHaveLength(2);
      const thread = await service.request("GET", `/api/v1/agent/feedback/${found.items[1].id}`, {
        headers: bearer(before.agentToken),
      });
      const image = new URL(thread.field("feedback.images.0"));
      expect((await service.request("GET", image.pathname)).status).toBe(200);
      const repeated = new URL(thread.field("messages.0.images.0"));
      expect((await service.request("GET", repeated.pathname)).status).toBe(200);
    });
  });
});

describe.each(databases)("a backup during a load of requests on $name", (engine) => {
  it("is complete: it contains everything that was acknowledged before, and every file with a reference", async () => {
    const old = await deploy(engine);
    const { acknowledged, file } = await serving(old, async (service) => {
      const { app, call } = await makeOwnerWithOneOfEach(service);
      const report = (n: number) => sendFeedback(service, app.key, { images: [dataUrl(png(2_000 + n))] });
      const acknowledged = await Promise.all(Array.from({ length: 20 }, (_, n) => report(n)));
      const file = await newFile();
      const load = Promise.all(
        Array.from({ length: 40 }, async (_, n) => {
          const id = await report(100 + n);
          if (n % 2) await call("DELETE", `/feedback/${id}`);
        }),
      );
      await old.admin({ command: "backup", file });
      await load;
      return { acknowledged, file };
    });
    const fresh = await deploy(engine);
    const restored = await fresh.admin({ command: "restore", file });
    const rows = (await rowsOf(fresh)).join("\n");
    for (const id of acknowledged) expect(rows).toContain(id);
    expect(await fresh.admin({ command: "check" })).toMatchObject({ ok: true });
    expect(await filesIn(join(fresh.data, "files"))).toHaveLength(Number(restored.files));
  });
});

describe("a backup file", () => {
  const makeBackup = async () => {
    const old = await deploy(sqlite);
    await serving(old, async (service) => {
      const { key } = await service.makeApp();
      await sendFeedback(service, key, { images: [dataUrl(png(3_000))] });
    });
    const file = await newFile();
    await writeFile(join(old.data, "secret"), "the deployment's secret");
    await old.admin({ command: "backup", file });
    return { old, file };
  };

  it("can be read only by its owner, and contains the deployment's secret", async () => {
    const { file } = await makeBackup();
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const fresh = await deploy(sqlite);
    await fresh.admin({ command: "restore", file });
    expect(await readFile(join(fresh.data, "secret"), "utf8")).toBe("the deployment's secret");
    expect((await stat(join(fresh.data, "secret"))).mode & 0o777).toBe(0o600);
  });

  it("leaves no other file in the data folder", async () => {
    const { old } = await makeBackup();
    const names = (await readdir(old.data)).filter((name) => !/^innkeep\.db(-wal|-shm)?$/.test(name));
    expect(names.sort()).toEqual(["backup.lock", "files", "secret"]);
  });

  it("does not replace an existing file", async () => {
    const { old, file } = await makeBackup();
    await expect(old.admin({ command: "backup", file })).rejects.toThrow("already exists");
  });

  it("that cannot be written completely is deleted", async () => {
    const { old } = await makeBackup();
    const file = join(old.data, "no such folder", "backup.tar");
    await expect(old.admin({ command: "backup", file })).rejects.toThrow("cannot be written");
    expect((await readdir(old.data)).filter((name) => name.startsWith("backup-"))).toEqual([]);
  });

  const restoring = async (file: string) => {
    const fresh = await deploy(sqlite);
    await expect(fresh.admin({ command: "restore", file })).rejects.toThrow();
    return readdir(fresh.data);
  };

  it("is refused if one bit in any byte is wrong", async () => {
    const old = await deploy(sqlite);
    await old.admin({ command: "user create", email: "a@example.org", password: "correct horse" });
    await writeFile(join(old.data, "secret"), "the deployment's secret");
    const path = await newFile();
    await old.admin({ command: "backup", file: path });
    const bytes = await readFile(path);
    expect(await isAccepted(bytes)).toBe(true);
    const accepted: number[] = [];
    for (const [at, byte] of bytes.entries()) {
      bytes[at] = byte ^ (1 << ((at + runSeed) % 8));
      if (await isAccepted(bytes)) accepted.push(at);
      bytes[at] = byte;
    }
    expect(await isAccepted(bytes)).toBe(true);
    expect(accepted).toEqual([]);
  });

  it.each([0, 0.3, 0.9, 0.999])("restores nothing if only the part %f of it exists", async (part) => {
    const { file } = await makeBackup();
    await truncate(file, Math.floor((await stat(file)).size * part));
    expect(await restoring(file)).toEqual([]);
  });

  it("is refused if it only looks like a backup", async () => {
    const file = await newFile();
    await writeFile(file, "PK\u0003\u0004 not a tar file");
    expect(await restoring(file)).toEqual([]);
    expect(await restoring(`${file}.missing`)).toEqual([]);
  });

  describe("whose restore to PostgreSQL fails when its rows are loaded", () => {
    // The restore deletes recovery codes twice: before it loads the accounts, and after it.
    const failing = [
      `CREATE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN IF EXISTS (SELECT 1 FROM users) THEN RAISE EXCEPTION 'The disk is full.'; END IF; RETURN NULL; END $$`,
      "CREATE TRIGGER failing BEFORE DELETE ON recovery_codes FOR EACH STATEMENT EXECUTE FUNCTION failing()",
    ];
    const run = (deployment: Deployment, statements: readonly string[]) =>
      withDatabase(deployment, "update", (database) =>
        database.write(async (tx) => {
          for (const sql of statements) await tx.run(sql);
        }),
      );

    it("can be restored again", async () => {
      const { old, file } = await makeBackup();
      const fresh = await deploy(postgres);
      await run(fresh, failing);
      await expect(fresh.admin({ command: "restore", file })).rejects.toThrow("The disk is full.");
      expect(await rowsOf(fresh)).toEqual([]);
      await run(fresh, ["DROP FUNCTION failing CASCADE"]);
      expect(await fresh.admin({ command: "restore", file })).toMatchObject({ files: 1 });
      expect(await rowsOf(fresh)).toEqual(await rowsOf(old));
    });

    it("keeps the rows if a server already uses them", async () => {
      const { file } = await makeBackup();
      const fresh = await deploy(postgres);
      await run(fresh, failing);
      await withDatabase(fresh, "leave", async (database) => {
        await database.get("SELECT 1 AS one");
        await expect(fresh.admin({ command: "restore", file })).rejects.toThrow(
          "could not be deleted (another program uses the database)",
        );
      });
      expect(await rowsOf(fresh)).not.toEqual([]);
    });
  });

  it.each([sqlite, postgres])("is never restored into a deployment in use on $name", async (engine) => {
    const { file } = await makeBackup();
    const used = await deploy(engine);
    await used.admin({ command: "user create", email: "a@example.org", password: "correct horse" });
    const before = await rowsOf(used);
    await expect(used.admin({ command: "restore", file })).rejects.toThrow("already");
    expect(await rowsOf(used)).toEqual(before);
  });
});

/** Whether a restore of a file with these bytes would continue and write. */
async function isAccepted(bytes: Buffer): Promise<boolean> {
  try {
    const archive = await archiveIn(inMemory(bytes));
    await verifyArchive(archive);
    await readHeader(archive);
    return true;
  } catch {
    return false;
  }
}

const inMemory = (bytes: Buffer): ArchiveFile => ({
  read: async (buffer, offset, length, position) => ({
    buffer,
    bytesRead: bytes.copy(buffer, offset, position, position + length),
  }),
  stat: async () => ({ size: bytes.length }),
  close: async () => {},
});
