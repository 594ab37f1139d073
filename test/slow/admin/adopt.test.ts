import { copyFile, cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, inject, it, onTestFinished } from "vitest";
import { runAdmin } from "../../../server/admin/main.ts";
import type { Database } from "../../../server/database/database.ts";
import { openDatabase } from "../../../server/database/open.ts";
import { unlock } from "../../../server/start/unlock.ts";
import { createPostgresDatabase, databases, type TestEngine } from "../../support/database/databases.ts";
import { eventually } from "../../support/eventually.ts";
import { type Deployment, makeDeployment } from "../../support/service/deployment.ts";
import { startService } from "../../support/service/service.ts";
import { grace, makePersonEverywhere } from "../../support/worlds/people/person-everywhere.ts";

const secret = "the secret of a deployment of the tests";

const deploymentOf = async (engine: TestEngine): Promise<Deployment> => {
  const deployment = await makeDeployment(engine);
  onTestFinished(() => deployment.remove());
  return deployment;
};

/** A copy of a stopped deployment by another program: only the database and the files. */
async function copyOf({ data, databaseUrl }: Deployment) {
  const folder = await mkdtemp(join(tmpdir(), "innkeep-copy-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await cp(join(data, "files"), join(folder, "files"), { recursive: true });
  if (databaseUrl === undefined) {
    for (const name of (await readdir(data)).filter((each) => each.startsWith("innkeep.db")))
      await copyFile(join(data, name), join(folder, name));
    return { data: folder, databaseUrl: undefined };
  }
  const name = new URL(databaseUrl).pathname.slice(1);
  const database = await createPostgresDatabase(inject("postgresUrl"), name);
  onTestFinished(() => database.remove());
  return {
    data: folder,
    databaseUrl: "url" in database.address ? database.address.url : expect.fail("It has an address."),
  };
}

/** A deployment with a person and a session of its owner, and a copy of it from before the person was erased. */
async function erasedAfterCopy(engine: TestEngine) {
  const deployment = await deploymentOf(engine);
  const service = await deployment.serve({ secret });
  const world = await makePersonEverywhere(service);
  await unlock(service.deps.database, { secret, old: [] });
  await service.stop();
  const copy = await copyOf(deployment);
  const again = await deployment.serve({ secret });
  const headers = await again.signIn(world.owner);
  const answer = await again.request("POST", "/api/v1/console/people/erase", {
    headers,
    body: { email: grace },
  });
  expect(answer.status).toBe(201);
  const { id } = Object(answer.body);
  await eventually(async () =>
    expect(
      (await again.request("GET", `/api/v1/console/people/erasures/${id}`, { headers })).body,
    ).toMatchObject({ status: "done" }),
  );
  await again.stop();
  return { world, copy, erasures: join(deployment.data, "erasures.ndjson") };
}

const adopt = (copy: Awaited<ReturnType<typeof copyOf>>, more = {}) =>
  runAdmin({ command: "adopt", secret, ...copy, ...more });

async function serveCopy({ data, databaseUrl }: Awaited<ReturnType<typeof copyOf>>) {
  const address = databaseUrl === undefined ? { file: join(data, "innkeep.db") } : { url: databaseUrl };
  const database = {
    address,
    open: (options = {}) => openDatabase(address, options),
    remove: async () => {},
  };
  const service = await startService({ database, settings: { data }, secret });
  onTestFinished(() => service.stop());
  return service;
}

describe.each(databases)("a database that another program has copied, on $name,", (engine) => {
  it("ends its sessions and erases people again who were erased in the meantime", async () => {
    const { world, copy, erasures } = await erasedAfterCopy(engine);
    const result = await adopt(copy, { erasures });
    expect(result).toMatchObject({ missing: [], erasedAgain: { found: 1, otherSecret: 0 } });
    const service = await serveCopy(copy);
    const ended = await service.request("GET", "/api/v1/console/me", { headers: world.headers });
    expect(ended.status).toBe(401);
    const headers = await service.signIn(world.owner);
    const own = await service.request("GET", `/api/v1/console/feedback/${world.own}`, { headers });
    expect(own.status).toBe(404);
    const others = await service.request("GET", `/api/v1/console/feedback/${world.others}`, { headers });
    expect(others.status).toBe(200);
  });

  it("causes a list of missing files, and keeps the references to them", async () => {
    const { copy } = await erasedAfterCopy(engine);
    await rm(join(copy.data, "files"), { recursive: true });
    const result = await adopt(copy);
    expect(result).toMatchObject({ files: 3, note: expect.stringContaining("innkeep admin repair") });
    expect(result.missing).toHaveLength(3);
    expect(await adopt(copy)).toMatchObject({ missing: result.missing });
  });

  it("sends no notice again and no chat message again that waited when it was copied", async () => {
    const { world, copy } = await erasedAfterCopy(engine);
    const address =
      copy.databaseUrl === undefined ? { file: join(copy.data, "innkeep.db") } : { url: copy.databaseUrl };
    const change = async <Result>(work: (database: Database) => Promise<Result>): Promise<Result> => {
      const database = await openDatabase(address, {});
      try {
        return await work(database);
      } finally {
        await database.close();
      }
    };
    const at = "2026-01-01T00:00:00.000Z";
    await change((database) =>
      database.write(async (tx) => {
        for (const kind of ["notice", "reply"])
          await tx.run(
            `INSERT INTO mails (id, app_id, kind, lane, recipient, content, status, attempts, due_at, send_before, created_at)
             VALUES (?, ?, ?, 'mail', 'owner@example.com', 'x', 'waiting', 0, ?, ?, ?)`,
            ...[`waiting-${kind}`, world.app.id, kind, at, at, at],
          );
        await tx.run(
          `INSERT INTO outbox (id, app_id, kind, subject_id, target, payload, status, attempts, due_at, created_at)
           VALUES ('waiting-chat', ?, 'feedback', 'x', 'x', '{"text":"secret"}', 'pending', 0, ?, ?)`,
          ...[world.app.id, at, at],
        );
      }),
    );
    await adopt(copy);
    const left = await change(async (database) => ({
      mails: await database.all("SELECT id FROM mails WHERE id LIKE 'waiting-%'"),
      posts: await database.all(
        "SELECT status, CAST(payload AS text) AS payload FROM outbox WHERE id = 'waiting-chat'",
      ),
    }));
    expect(left.mails).toEqual([{ id: "waiting-reply" }]);
    expect(left.posts).toEqual([{ status: "failed", payload: "{}" }]);
  });

  it("stays unchanged if the secret does not match", async () => {
    const { world, copy, erasures } = await erasedAfterCopy(engine);
    const other = "another secret of a deployment of the tests";
    await expect(adopt(copy, { erasures, secret: other })).rejects.toThrow("INNKEEP_SECRET");
    await expect(adopt(copy, { erasures, secret: undefined })).rejects.toThrow("INNKEEP_SECRET");
    const service = await serveCopy(copy);
    const session = await service.request("GET", "/api/v1/console/me", { headers: world.headers });
    expect(session.status).toBe(200);
  });
});
