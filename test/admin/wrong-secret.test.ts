import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { sealed } from "../../server/secrets/store.ts";
import { unlock } from "../../server/start/unlock.ts";
import { databases, type TestEngine } from "../support/database/databases.ts";
import { filesIn, temporaryFolder } from "../support/files/temporary-folder.ts";
import { type Deployment, makeDeployment } from "../support/service/deployment.ts";

const secret = "the secret of a deployment of the tests";
const other = "another secret of a deployment of the tests";
const wrong = "INNKEEP_SECRET is not the secret with which this database was used.";

async function makeIn(engine: TestEngine): Promise<Deployment> {
  const deployment = await makeDeployment(engine);
  onTestFinished(() => deployment.remove());
  return deployment;
}

describe.each(databases)("the secret of a database on $name", (engine) => {
  let deployment: Deployment;
  let file = "";
  const inFolder = (text: string) => writeFile(join(deployment.data, "secret"), text);
  beforeEach(async () => {
    deployment = await makeIn(engine);
    const service = await deployment.serve({ secret });
    await unlock(service.deps.database, { secret, old: [] });
    await service.stop();
    file = join(await temporaryFolder(), "backup.tar");
    await deployment.admin({ command: "backup", file });
  });

  it("is compared by a check, which reports a wrong one among its findings and changes nothing", async () => {
    await expect(deployment.admin({ command: "check", secret: other })).rejects.toThrow(
      `The check found faults:\n- ${wrong}`,
    );
    for (const given of [{ secret }, { secret: other, oldSecrets: `x,${secret}` }, {}])
      expect(await deployment.admin({ command: "check", ...given })).toMatchObject({ ok: true });
    const service = await deployment.serve({ secret });
    await unlock(service.deps.database, { secret, old: [] });
    await service.stop();
  });

  it.runIf(engine.engine === "sqlite")("is compared by a check if it is in the folder", async () => {
    await inFolder(other);
    await expect(deployment.admin({ command: "check" })).rejects.toThrow(wrong);
    await inFolder(secret);
    expect(await deployment.admin({ command: "check" })).toMatchObject({ ok: true });
  });

  it("is compared by a restore, which refuses a wrong one before it writes anything", async () => {
    const fresh = await makeIn(engine);
    await expect(fresh.admin({ command: "restore", file, secret: other })).rejects.toThrow(wrong);
    expect(await filesIn(fresh.data)).toEqual([]);
    expect(await fresh.admin({ command: "restore", file, secret })).toMatchObject({ files: 0 });
    expect(await fresh.admin({ command: "check", secret })).toMatchObject({ ok: true });
  });

  it("may be an old one of a restore", async () => {
    const fresh = await makeIn(engine);
    const given = { secret: other, oldSecrets: secret };
    expect(await fresh.admin({ command: "restore", file, ...given })).toMatchObject({ files: 0 });
  });

  it("is named by a restore without it, unless the backup contains it", async () => {
    const needs = "INNKEEP_SECRET must be set to it before the server starts.";
    const { note } = await (await makeIn(engine)).admin({ command: "restore", file });
    expect(note).toContain(needs);
    if (engine.engine !== "sqlite") return;
    await inFolder(secret);
    await rm(file);
    await deployment.admin({ command: "backup", file });
    const fresh = await makeIn(engine);
    expect((await fresh.admin({ command: "restore", file })).note).not.toContain(needs);
    expect(await readFile(join(fresh.data, "secret"), "utf8")).toBe(secret);
  });

  it("is not needed by a database in which nothing is encrypted", async () => {
    const empty = await makeIn(engine);
    const service = await empty.serve({ secret });
    expect(await sealed.check(service.deps.database)).toBeUndefined();
    await service.stop();
    expect(await empty.admin({ command: "check", secret: other })).toMatchObject({ ok: true });
  });
});
