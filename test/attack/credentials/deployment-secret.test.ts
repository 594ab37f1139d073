import { readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resetSecret } from "../../../server/admin/data-location.ts";
import { serve } from "../../../server/main.ts";
import { unlockDatabase } from "../../../server/start/unlock.ts";
import { databases, type TestDatabase } from "../../support/database/databases.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { type Service, startService } from "../../support/service/service.ts";

const [first, second, third] = ["a", "b", "c"].map((letter) => letter.repeat(32));

describe.each(databases)("the deployment secret of a database on $name", ({ create, engine }) => {
  let database: TestDatabase;
  let data: string;
  let headers: Record<string, string>;
  let testKey: string;

  beforeEach(async () => {
    database = await create();
    data = await temporaryFolder();
    await using(first, async (service) => {
      await unlockHere({ INNKEEP_SECRET: first });
      const app = await service.makeApp();
      const cycle = await service.makeCycle(await service.makeListing(app));
      const tester = await service.makeUser();
      testKey = await service.giveSlot(cycle, cycle.slotIds[0] ?? "", tester);
      headers = await service.makeDevice(tester);
    });
  });
  afterEach(() => database.remove());

  async function using<Result>(secret: string | undefined, use: (service: Service) => Promise<Result>) {
    const service = await startService({ database, ...(secret ? { secret } : {}) });
    return use(service).finally(service.stop);
  }

  const unlockHere = async (environment: Record<string, string | undefined>) => {
    const opened = await database.open();
    const databaseUrl = engine === "postgres" ? "postgres://" : undefined;
    return unlockDatabase(environment, { data, databaseUrl }, opened);
  };
  const readKey = (secret: string | undefined) =>
    using(secret, async (service) => {
      const answer = await service.request("GET", "/api/v1/testing/me/slots", { headers });
      return answer.status === 200 ? Object(answer.body).slots[0].testKey : answer.status;
    });
  const forgetCheck = async () =>
    (await database.open()).write(async (tx) => void (await tx.run("DELETE FROM deployment")));

  it("must be the secret that the database was used with", async () => {
    await expect(unlockHere({ INNKEEP_SECRET: second })).rejects.toThrow("INNKEEP_SECRET is not the secret");
    await unlockHere({ INNKEEP_SECRET: first });
    expect(await readKey(first)).toBe(testKey);
  });

  it("is compared with the stored data if an older version left no check value", async () => {
    await forgetCheck();
    await expect(unlockHere({ INNKEEP_SECRET: second })).rejects.toThrow("INNKEEP_SECRET is not the secret");
    await unlockHere({ INNKEEP_SECRET: first });
    await expect(unlockHere({ INNKEEP_SECRET: second })).rejects.toThrow("INNKEEP_SECRET is not the secret");
  });

  it.each(["with", "without"])("can be changed %s a check value", async (how) => {
    if (how === "without") await forgetCheck();
    await unlockHere({ INNKEEP_SECRET: second, INNKEEP_SECRET_OLD: `${third},${first}` });
    expect(await readKey(second)).toBe(testKey);
    await unlockHere({ INNKEEP_SECRET: second });
    await expect(unlockHere({ INNKEEP_SECRET: first })).rejects.toThrow("INNKEEP_SECRET is not the secret");
  });

  it("can be reset after it is lost, together with the data that it encrypted", async () => {
    const databaseUrl = engine === "postgres" ? "postgres://" : undefined;
    const reset = await resetSecret(await database.open(), { data, databaseUrl });
    expect(reset).toEqual({ testKeys: 1, chatAddresses: 0, authenticatorApps: 0 });
    await unlockHere({ INNKEEP_SECRET: second });
    expect(await readKey(second)).toBeUndefined();
  });
});

describe("the command innkeep serve on SQLite", () => {
  const start = async (data: string, environment: Record<string, string> = {}) => {
    const stop = new AbortController();
    const world = { environment, out: () => stop.abort(), err() {}, stop: stop.signal };
    return serve({ data, port: 0, json: true, demo: true }, world);
  };

  it("does not start without the lost secret, and creates no new one", async () => {
    const data = await temporaryFolder();
    await start(data);
    const kept = join(await temporaryFolder(), "secret");
    await rename(join(data, "secret"), kept);
    await expect(start(data)).rejects.toThrow("The file `secret` is missing");
    expect(await readdir(data)).not.toContain("secret");
    await rename(kept, join(data, "secret"));
    expect(await start(data)).toBe(0);
  });

  it("does not start with another secret", async () => {
    const data = await temporaryFolder();
    await start(data);
    await expect(start(data, { INNKEEP_SECRET: second ?? "" })).rejects.toThrow("INNKEEP_SECRET is not");
    await rm(join(data, "secret"));
    await writeFile(join(data, "secret"), third ?? "");
    await expect(start(data)).rejects.toThrow("INNKEEP_SECRET is not");
  });
});
