import { createHash } from "node:crypto";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type AdminCommand, runAdmin } from "../../../server/admin/main.ts";
import { lockFolder } from "../../../server/database/folder-lock.ts";
import { forgeBackup } from "../../support/backups/forged-backup.ts";
import { databases, postgres, sqlite, type TestEngine } from "../../support/database/databases.ts";
import { quickFolder } from "../../support/files/quick-folder.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../../support/files/temporary-folder.ts";
import {
  type Bucket,
  hasObjectStore,
  needsObjectStore,
  type ObjectStore,
  startObjectStore,
} from "../../support/s3/object-store.ts";
import { makeDeployment } from "../../support/service/deployment.ts";
import type { Service } from "../../support/service/service.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";

const commands = (file: string): AdminCommand[] => [
  { command: "check" },
  { command: "repair" },
  { command: "backup", file },
];
const choiceOf = ({ url }: Bucket) => ({ url, accessKeyId: undefined, secretAccessKey: undefined });

describe.runIf(hasObjectStore)(`the operator's commands with files in S3 (${needsObjectStore})`, () => {
  let store: ObjectStore;
  beforeAll(async () => {
    store = await startObjectStore();
  });
  afterAll(() => store.remove());

  /** A stopped deployment with three stored files, and functions that read them. */
  const deploymentWith = async (engine: TestEngine, place: "folder" | "s3") => {
    const bucket = await store.makeBucket("inn");
    const deployment = await makeDeployment(engine, place === "s3" ? bucket.url : undefined);
    onTestFinished(() => deployment.remove());
    const service = await deployment.serve();
    const { key } = await service.makeApp();
    for (const size of [1_000, 2_000, 3_000])
      await sendFeedback(service, key, { images: [dataUrl(png(size))] });
    const hashes = await hashesOf(service);
    await service.stop();
    const { data, databaseUrl } = deployment;
    const location = { data, ...(databaseUrl === undefined ? {} : { databaseUrl }) };
    return {
      ...{ bucket, deployment, hashes, data, location },
      admin: (command: AdminCommand, withStore = true) =>
        runAdmin({ ...command, ...location, ...(withStore ? { s3: choiceOf(bucket) } : {}) }),
      inBucket: async () =>
        (await bucket.names()).flatMap((name) => /^inn\/files\/(.*)$/.exec(name)?.[1] ?? []).sort(),
      inFolder: async () =>
        (await filesIn(join(data, "files"))).flatMap((path) => /[\da-f]{64}$/.exec(path)?.[0] ?? []).sort(),
    };
  };
  const hashesOf = async ({ deps }: Service) =>
    (await deps.database.all<{ sha256: string }>("SELECT sha256 FROM uploads ORDER BY sha256")).map(
      ({ sha256 }) => sha256,
    );
  const archiveIn = async () => join(await temporaryFolder(), "backup.tar");

  describe.each(databases)("on $name", (engine) => {
    it("files move in both directions, and afterwards one storage contains all of them and the other none", async () => {
      const { admin, inBucket, inFolder, hashes } = await deploymentWith(engine, "folder");
      expect(await admin({ command: "files move", to: "s3" })).toEqual({
        to: "s3",
        moved: 3,
        present: 0,
        missing: [],
      });
      expect([await inBucket(), await inFolder()]).toEqual([hashes, []]);
      expect(await admin({ command: "files move", to: "s3" })).toMatchObject({ moved: 0, present: 3 });
      expect(await admin({ command: "check" })).toMatchObject({ ok: true, files: 3 });
      expect(await admin({ command: "files move", to: "folder" })).toMatchObject({ moved: 3 });
      expect([await inBucket(), await inFolder()]).toEqual([[], hashes]);
      expect(await admin({ command: "check" }, false)).toMatchObject({ ok: true, files: 3 });
    });

    it("a backup with files in S3 can be restored into a folder, and into another S3 storage", async () => {
      const { admin, inBucket } = await deploymentWith(engine, "s3");
      const file = await archiveIn();
      expect(await admin({ command: "backup", file })).toMatchObject({ files: 3, missing: [] });
      const folder = await mkdtemp(join(quickFolder, "innkeep-"));
      onTestFinished(() => rm(folder, { recursive: true }));
      const intoFolder = { data: join(folder, "one") };
      expect(await runAdmin({ command: "restore", file, ...intoFolder })).toMatchObject({ files: 3 });
      expect(await runAdmin({ command: "check", ...intoFolder })).toMatchObject({ files: 3 });
      const other = { data: join(folder, "two"), s3: choiceOf(await store.makeBucket()) };
      expect(await runAdmin({ command: "restore", file, ...other })).toMatchObject({ files: 3 });
      expect(await runAdmin({ command: "check", ...other })).toMatchObject({ files: 3, orphans: 0 });
      expect(await inBucket()).toHaveLength(3);
    });

    it("files that were lost or damaged in S3 are found, and the references are repaired", async () => {
      const { admin, bucket, hashes } = await deploymentWith(engine, "s3");
      const [lost = "", damaged = "", whole = ""] = hashes;
      await bucket.request("DELETE", `inn/files/${lost}`);
      await bucket.request("PUT", `inn/files/${damaged}`, "other bytes");
      await expect(admin({ command: "check" })).rejects.toThrow(`The file ${lost} is missing.`);
      const file = await archiveIn();
      expect(await admin({ command: "backup", file })).toMatchObject({ files: 1, missing: [lost, damaged] });
      expect((await admin({ command: "repair" })).lost).toHaveLength(2);
      expect(await admin({ command: "check" })).toMatchObject({ files: 1 });
      expect(await bucket.names()).toEqual([
        `inn/damaged/${damaged}`,
        "inn/deployment",
        `inn/files/${whole}`,
      ]);
    });
  });

  it("a check of the S3 storage says that it can be read, or what is wrong", async () => {
    const { admin, bucket } = await deploymentWith(sqlite, "folder");
    const { host } = new URL(bucket.url);
    const place = expect.stringMatching(new RegExp(`^http://${host}/bucket-\\d+/inn/$`));
    expect(await admin({ command: "files check" })).toEqual({ place });
    const unknown = choiceOf({ ...bucket, url: bucket.url.replace(/bucket-\d+/, "no-such-bucket") });
    await expect(runAdmin({ command: "files check", s3: unknown })).rejects.toThrow(
      "names a bucket that does not exist",
    );
  });

  it("a server on PostgreSQL that runs during a move loses no file, and accepts no more files afterwards", async () => {
    const { admin, deployment, inBucket, inFolder } = await deploymentWith(postgres, "folder");
    const service = await deployment.serve();
    const { key } = await service.makeApp();
    let size = 10_000;
    const report = () =>
      service.request("POST", "/api/v1/feedback/remote", {
        headers: { "x-api-key": key },
        body: { type: "bug", message: "It broke.", images: [dataUrl(png(size++))] },
      });
    let hasMoved = false;
    const move = admin({ command: "files move", to: "s3" }).finally(() => {
      hasMoved = true;
    });
    const statuses: number[] = [];
    while (!hasMoved) statuses.push((await report()).status);
    expect(await move).toMatchObject({ missing: [] });
    const refused = await report();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.any(String)]);
    const stored = await hashesOf(service);
    expect(stored).toHaveLength(3 + statuses.filter((status) => status === 201).length);
    await service.stop();
    expect([await inBucket(), await inFolder()]).toEqual([stored, []]);
  });

  it("a move that was killed can be continued, and all files are moved", async () => {
    const { admin, bucket, inBucket, inFolder, hashes } = await deploymentWith(sqlite, "folder");
    const { bytes } = png(1_000);
    const first = createHash("sha256").update(bytes).digest("hex");
    await bucket.request("PUT", `inn/files/${first}`, bytes);
    const moved = await admin({ command: "files move", to: "s3" });
    expect(moved).toMatchObject({ moved: 2, present: 1, missing: [] });
    expect([await inBucket(), await inFolder()]).toEqual([hashes, []]);
  });

  it("a damaged file is not moved, and is kept where it is", async () => {
    const { admin, data, hashes, inBucket, inFolder } = await deploymentWith(sqlite, "folder");
    const [damaged = "", ...whole] = hashes;
    const path = (await filesIn(join(data, "files"))).find((one) => one.endsWith(damaged)) ?? "";
    await writeFile(path, Buffer.alloc((await stat(path)).size));
    expect(await admin({ command: "files move", to: "s3" })).toMatchObject({ moved: 2, missing: [damaged] });
    expect([await inBucket(), await inFolder()]).toEqual([whole, [damaged]]);
  });

  it("no command and no server works with the wrong storage", async () => {
    const { admin } = await deploymentWith(sqlite, "s3");
    const file = await archiveIn();
    for (const command of commands(file))
      await expect(admin(command, false)).rejects.toThrow("INNKEEP_S3_URL is not set, but the files");
    const inFolder = await deploymentWith(sqlite, "folder");
    await expect(inFolder.admin({ command: "check" })).rejects.toThrow("innkeep admin files move --to s3");
    await expect(admin({ command: "files move", to: "s3" }, false)).rejects.toThrow("must be set");
  });

  it("a move does not begin while a server is running", async () => {
    const { admin, deployment } = await deploymentWith(sqlite, "s3");
    const lock = await lockFolder(deployment.data);
    await expect(admin({ command: "files move", to: "folder" })).rejects.toThrow("Stop it first");
    await lock.release();
  });

  it("an S3 storage with the files of another database is refused", async () => {
    const { bucket } = await deploymentWith(sqlite, "s3");
    const other = await makeDeployment(sqlite, bucket.url);
    onTestFinished(() => other.remove());
    await expect(other.serve()).rejects.toThrow("contains the files of another database");
  });

  it("a restore that fails leaves an empty storage, into which the next restore can write", async () => {
    const { admin } = await deploymentWith(sqlite, "s3");
    const whole = await archiveIn();
    await admin({ command: "backup", file: whole });
    const file = `${whole}.forged`;
    await forgeBackup(whole, file, (name, text) =>
      name === "contents.json" ? text.replace(/"feedback":\d+/, '"feedback":9999') : text,
    );
    const place = { data: await temporaryFolder(), s3: choiceOf(await store.makeBucket()) };
    await expect(runAdmin({ command: "restore", file, ...place })).rejects.toThrow("not 9999");
    expect(await runAdmin({ command: "restore", file: whole, ...place })).toMatchObject({ files: 3 });
    expect(await runAdmin({ command: "check", ...place })).toMatchObject({ files: 3, orphans: 0 });
  });

  it("an S3 storage that does not answer causes no loss, and no file counts as missing", async () => {
    const { admin, hashes, inBucket } = await deploymentWith(sqlite, "s3");
    const file = await archiveIn();
    await store.kill();
    for (const command of commands(file))
      await expect(admin(command)).rejects.toThrow("The files cannot be read or written at the moment");
    await store.start();
    expect(await admin({ command: "check" })).toMatchObject({ files: 3 });
    expect(await inBucket()).toEqual(hashes);
  });

  it("a wrong secret of S3 is named by each command", async () => {
    const { bucket, location } = await deploymentWith(sqlite, "s3");
    const s3 = { ...choiceOf(bucket), url: bucket.url.replace("very", "not") };
    await expect(runAdmin({ command: "check", ...location, s3 })).rejects.toThrow("a wrong secret");
  });
});
