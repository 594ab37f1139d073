import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { withDatabase } from "../../../server/admin/data-location.ts";
import { migrations } from "../../../server/store/engine/migrations/all-migrations.ts";
import { openDatabase } from "../../../server/store/engine/open.ts";
import { databases, type TestEngine } from "../../support/database/databases.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { type Deployment, makeDeployment } from "../../support/service/deployment.ts";

const at = "2026-05-01T00:00:00.000Z";
const user = { id: "u", email: "ada@example.org", password_hash: "", created_at: at };
const app = {
  id: "a",
  owner_id: "u",
  name: "Lantern",
  feedback_enabled: 1,
  changelog_enabled: 0,
  created_at: at,
};
const faq = {
  id: "q",
  app_id: "a",
  question: "Q?",
  answer: "So.",
  sort_order: 3,
  created_at: at,
  updated_at: at,
};
const thread = {
  ...{
    id: "f",
    app_id: "a",
    seq: 7,
    subject: "Login",
    message: "Login",
    category: "bug",
    metadata: "{}",
    files: "{}",
  },
  ...{ occurrences: 2, indexed: 0, created_at: at, dedupe_key: "login", status: "open" },
};

let deployments: Deployment[] = [];
afterEach(async () => {
  for (const deployment of deployments) await deployment.remove();
  deployments = [];
});
const deploy = async (engine: TestEngine) => {
  const deployment = await makeDeployment(engine);
  deployments.push(deployment);
  return deployment;
};

/** A deployment as it was before the migration with this number, with an FAQ entry and an open failure. */
async function deploymentBefore(engine: TestEngine, number: number) {
  const deployment = await deploy(engine);
  await mkdir(deployment.data, { recursive: true });
  const { databaseUrl: url, data } = deployment;
  const old = await openDatabase(url === undefined ? { file: join(data, "innkeep.db") } : { url }, {
    migrations: migrations.filter((migration) => migration.number < number),
  });
  await old.write(async (tx) => {
    await tx.insert("users", user);
    await tx.insert("apps", app);
    await tx.insert("faqs", faq);
    await tx.insert("feedback", thread);
  });
  await old.close();
  return deployment;
}

const engines = databases.flatMap((from) =>
  databases.map((to) => ({ from, to, names: `${from.name} to ${to.name}` })),
);

describe.each(engines)("a backup of an older release, from $names", ({ from, to }) => {
  it.each([20, 21, 22])("from before migration %i is brought to this release", async (number) => {
    const old = await deploymentBefore(from, number);
    const file = join(await temporaryFolder(), "backup.tar");
    await old.admin({ command: "backup", file });
    expect(await old.admin({ command: "backup verify", file })).toMatchObject({ verified: true });
    const fresh = await deploy(to);
    await fresh.admin({ command: "restore", file });
    expect(await fresh.admin({ command: "check" })).toMatchObject({ ok: true });
    const rows = await withDatabase(fresh, "leave", async (database) => [
      await database.all("SELECT id, sort_order, pushed_hash, pushed_sort_order FROM faqs"),
      await database.all("SELECT feedback_id, app_id, scope, run, reported_at, passed_at FROM failure_runs"),
      await database.all("SELECT count(*) AS count FROM changelog_feedback"),
    ]);
    expect(rows).toEqual([
      [{ id: "q", sort_order: 3, pushed_hash: null, pushed_sort_order: null }],
      [{ feedback_id: "f", app_id: "a", scope: "", run: "", reported_at: at, passed_at: null }],
      [{ count: expect.anything() }],
    ]);
  });
});
