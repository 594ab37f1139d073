import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { indexForSearch } from "../../../server/feedback/search/store/indexing.ts";
import { cleanUp } from "../../../server/jobs/housekeeping.ts";
import { hashOf } from "../../../server/secrets/secrets.ts";
import { receivedFile } from "../../../src/contract/files.ts";
import { databases, sqlite } from "../../support/database/databases.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../../support/files/temporary-folder.ts";
import { innkeep } from "../../support/programs/built-program.ts";
import { type Deployment, makeDeployment } from "../../support/service/deployment.ts";
import type { Service } from "../../support/service/service.ts";
import { makeOwnerWithOneOfEach, sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const never = new AbortController().signal;
const newFile = async () => join(await temporaryFolder(), "backup.tar");

describe.each(databases)("a stored file that is missing, on $name,", (engine) => {
  let deployment: Deployment;
  let service: Service;
  let paths: string[];
  beforeEach(async () => {
    deployment = await makeDeployment(engine);
    service = await deployment.serve();
    const { key } = await service.makeApp();
    for (const size of [3_000, 4_000, 5_000])
      await sendFeedback(service, key, { images: [dataUrl(png(size))] });
    paths = (await filesIn(join(deployment.data, "files"))).sort();
  });
  afterEach(async () => {
    await service.stop();
    await deployment.remove();
  });

  const hashAt = (n: number) => paths[n]?.split("/").at(-1) ?? "";
  const lose = async () => {
    await rm(paths[0] ?? "");
    await writeFile(paths[1] ?? "", "something else");
    return [hashAt(0), hashAt(1)].sort();
  };
  const statusOf = async (sha256: string, method = "GET") => {
    const row = await service.deps.database.get<{ name: string }>(
      "SELECT name FROM uploads WHERE sha256 = ?",
      sha256,
    );
    return (await service.request(method, `/uploads/${row?.name}`)).status;
  };

  it("is answered with 404, and the other files are served", async () => {
    await lose();
    const statuses = [];
    for (const n of [0, 1, 2]) statuses.push(await statusOf(hashAt(n)), await statusOf(hashAt(n), "HEAD"));
    expect(statuses).toEqual([404, 404, 404, 404, 200, 200]);
  });

  it("does not prevent a backup, which lists the file and restores all others", async () => {
    const lost = await lose();
    const file = await newFile();
    expect(await deployment.admin({ command: "backup", file })).toMatchObject({ files: 1, missing: lost });
    const fresh = await makeDeployment(sqlite);
    expect(await fresh.admin({ command: "restore", file })).toMatchObject({ files: 1 });
    expect(await fresh.admin({ command: "check" })).toEqual({ ok: true, files: 1, orphans: 0 });
    await fresh.remove();
  });

  it("is reported by the check, and a repair removes and reports the references to it", async () => {
    const [one = "", other = ""] = await lose();
    await expect(deployment.admin({ command: "check" })).rejects.toThrow(one);
    await expect(deployment.admin({ command: "check" })).rejects.toThrow(other);
    const { lost } = await deployment.admin({ command: "repair" });
    expect(lost).toHaveLength(2);
    expect(lost).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ sha256: hashAt(0), fault: "missing", feedbackId: expect.any(String) }),
        expect.objectContaining({ sha256: hashAt(1), fault: "damaged", feedbackId: expect.any(String) }),
      ]),
    );
    expect(await readdir(join(deployment.data, "files", "damaged"))).toEqual([hashAt(1)]);
    expect(await deployment.admin({ command: "check" })).toEqual({ ok: true, files: 1, orphans: 0 });
    expect(await deployment.admin({ command: "backup", file: await newFile() })).toMatchObject({
      missing: [],
    });
  });
});

describe("the command innkeep admin repair", () => {
  it("changes nothing if every file is missing, because the folder may not be mounted", async () => {
    const deployment = await makeDeployment(sqlite);
    const service = await deployment.serve();
    const { key } = await service.makeApp();
    for (const size of [3_000, 3_001]) await sendFeedback(service, key, { images: [dataUrl(png(size))] });
    await service.stop();
    for (const path of await filesIn(join(deployment.data, "files"))) await rm(path);
    await expect(deployment.admin({ command: "repair" })).rejects.toThrow("None of the 2 stored files is in");
    const backup = await deployment.admin({ command: "backup", file: await newFile() });
    expect(backup.missing).toHaveLength(2);
    await deployment.remove();
  });
});

describe("the command innkeep admin backup", () => {
  it("exits with a special code if files are missing", async () => {
    const deployment = await makeDeployment(sqlite);
    const service = await deployment.serve();
    const { key } = await service.makeApp();
    await sendFeedback(service, key, { images: [dataUrl(png(3_000))] });
    await service.stop();
    const [path = ""] = await filesIn(join(deployment.data, "files"));
    await rm(path);
    const ended = await innkeep(["admin", "backup", await newFile(), "--data", deployment.data, "--json"]);
    expect(ended.code).toBe(10);
    expect(JSON.parse(ended.stdout)).toMatchObject({ files: 0, missing: [path.split("/").at(-1)] });
    await deployment.remove();
  });

  it("works after a killed backup has left its files", async () => {
    const deployment = await makeDeployment(sqlite);
    await deployment.admin({ command: "migrate" });
    const file = await newFile();
    await writeFile(`${file}.partial`, "half of it".repeat(1_000_000));
    const left = join(deployment.data, "backup-x1y2z3");
    await mkdir(left);
    await writeFile(join(left, "snapshot.db"), "a copy of the database");
    await deployment.admin({ command: "backup", file });
    await expect(stat(`${file}.partial`)).rejects.toThrow("ENOENT");
    expect((await readdir(deployment.data)).filter((name) => name.startsWith("backup-"))).toEqual([]);
    const fresh = await makeDeployment(sqlite);
    await fresh.admin({ command: "restore", file });
    await fresh.remove();
    await deployment.remove();
  });
});

describe.each(databases)("files without a report after a killed server, on $name,", (engine) => {
  let deployment: Deployment;
  let service: Service;
  beforeEach(async () => {
    deployment = await makeDeployment(engine);
    service = await deployment.serve();
  });
  afterEach(async () => {
    await service.stop();
    await deployment.remove();
  });

  /** A kept file that nothing refers to. */
  const leave = async (text: string, minutesAgo: number) => {
    const temporary = service.deps.files.createTemporary(100);
    temporary.write(Buffer.from(text));
    const written = await temporary.finish();
    await service.deps.files.keep(receivedFile({ ...written, declaredType: null, name: null, fault: null }));
    const sha256 = hashOf(text);
    await age(join(deployment.data, "files", sha256.slice(0, 2), sha256.slice(2, 4), sha256), minutesAgo);
    return sha256;
  };
  const age = (path: string, minutes: number) => {
    const then = new Date(Date.now() - minutes * 60_000);
    return utimes(path, then, then);
  };
  const present = async () =>
    (await filesIn(join(deployment.data, "files"))).map((path) => path.split("/").at(-1)).sort();

  it("are deleted after one hour, and other files are not", async () => {
    const { key } = await service.makeApp();
    await sendFeedback(service, key, { images: [dataUrl(png(3_000))] });
    for (const path of await filesIn(join(deployment.data, "files"))) await age(path, 600);
    const used = await present();
    const young = await leave("young", 59);
    await leave("old", 61);
    expect(await deployment.admin({ command: "check" })).toEqual({ ok: true, files: 1, orphans: 1 });
    await cleanUp(service.deps, never);
    expect(await present()).toEqual([...used, young].sort());
  });

  it("are kept if the database is new, because the folder may belong to another database", async () => {
    const old = await leave("old", 600);
    await cleanUp(service.deps, never);
    expect(await present()).toEqual([old]);
  });

  it("are also deleted by a repair", async () => {
    await service.makeApp();
    await leave("old", 61);
    expect(await deployment.admin({ command: "repair" })).toEqual({ lost: [], deletedOrphans: 1 });
    expect(await present()).toEqual([]);
  });
});

describe("a deleted text", () => {
  it("is not in the file and not in the search index of a SQLite database after the next cleanup", async () => {
    const deployment = await makeDeployment(sqlite);
    const service = await deployment.serve();
    const world = await makeOwnerWithOneOfEach(service);
    const word = "quetzalcoatl";
    const report = (n: number, message: string) =>
      sendFeedback(service, world.app.key, { message: `${message} ${n} ${"text ".repeat(200)}` });
    const ids = [];
    for (let n = 0; n < 30; n++) {
      await report(n, "Something else.");
      ids.push(await report(n, word));
    }
    await indexForSearch(service.deps);
    for (const id of ids) await world.call("DELETE", `/feedback/${id}`);
    await cleanUp(service.deps, never);
    await service.stop();
    const bytes = await readFile(join(deployment.data, "innkeep.db"), "latin1");
    expect(bytes.split(word).length - 1).toBe(0);
    await deployment.remove();
  });
});
