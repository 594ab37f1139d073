import { readFile, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bindFiles } from "../../../server/start/open-files.ts";
import { postgres, type TestDatabase } from "../../support/database/databases.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../../support/files/temporary-folder.ts";
import { type Deployment, makeDeployment } from "../../support/service/deployment.ts";
import { startService } from "../../support/service/service.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

describe("a data folder with the files of another PostgreSQL database", () => {
  let deployment: Deployment;
  let other: TestDatabase;
  beforeEach(async () => {
    deployment = await makeDeployment(postgres);
    other = await postgres.createEmpty();
    const service = await deployment.serve();
    const { key } = await service.makeApp();
    await sendFeedback(service, key, { images: [dataUrl(png(3_000))] });
    await service.stop();
    const longAgo = new Date(Date.now() - 7_200_000);
    for (const file of await stored()) await utimes(file, longAgo, longAgo);
  });
  afterEach(async () => {
    await deployment.remove();
    await other.remove();
  });

  const stored = () => filesIn(join(deployment.data, "files"));
  const bind = async (database: TestDatabase, data = deployment.data) => {
    const opened = await database.open({});
    try {
      await bindFiles(opened, { data, databaseUrl: "postgres://localhost/any" });
    } finally {
      await opened.close();
    }
  };
  const bindOwn = () => deployment.admin({ command: "repair" });
  /** The other database has an app, so the sweep treats it as a database in use. */
  const useOther = async () => {
    const service = await startService({ database: other });
    await service.makeApp();
    await service.stop();
  };

  it("is refused by a new database", async () => {
    await expect(bind(other)).rejects.toThrow("the files of another database");
  });

  it("is refused by a database in use, and its files are kept", async () => {
    await bindOwn();
    await useOther();
    await expect(bind(other)).rejects.toThrow("the files of another database");
    expect(await stored()).toHaveLength(1);
  });

  it("is accepted by its own database even if the id in the folder is lost", async () => {
    await bindOwn();
    const id = await readFile(join(deployment.data, "deployment"), "utf8");
    await rm(join(deployment.data, "deployment"));
    await bindOwn();
    await bindOwn();
    expect(await readFile(join(deployment.data, "deployment"), "utf8")).toBe(id);
    expect(await stored()).toHaveLength(1);
  });

  it("is accepted after the files were deleted", async () => {
    await bindOwn();
    await rm(join(deployment.data, "files"), { recursive: true });
    await bind(other);
    await bind(other);
  });

  it("cannot be created by two servers that start at the same time with one new folder", async () => {
    const data = await temporaryFolder();
    await Promise.all([bind(other, data), bind(other, data), bind(other, data)]);
    await bind(other, data);
  });
});
