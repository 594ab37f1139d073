import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { sqlite } from "../support/database/databases.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";
import { makeDeployment } from "../support/service/deployment.ts";

const deploy = async () => {
  const deployment = await makeDeployment(sqlite);
  onTestFinished(() => deployment.remove());
  await deployment.admin({ command: "migrate" });
  return deployment;
};
const path = async () => join(await temporaryFolder(), "backup.tar");

describe("the creation of a backup", () => {
  it("deletes the files of a killed backup, and no other files with a similar name", async () => {
    const old = await deploy();

    const [first, second] = ["backup-monday.tar", "backup-tuesday.tar"].map((name) => join(old.data, name));
    const others = ["backup-sunday", "backup-weekly"].map((name) => join(old.data, name));
    const left = join(old.data, "backup-aB3xYz");
    for (const folder of [left, ...others]) await mkdir(folder);
    for (const name of ["snapshot.db", "snapshot.db-journal"]) await writeFile(join(left, name), "half");
    for (const folder of others) await writeFile(join(folder, "innkeep.tar"), "a backup");
    for (const file of [first, second]) await old.admin({ command: "backup", file: String(file) });
    const names = await readdir(old.data);
    expect(names).not.toContain("backup-aB3xYz");
    expect(names).toEqual(
      expect.arrayContaining([
        "backup-monday.tar",
        "backup-tuesday.tar",
        ...others.map((path) => basename(path)),
      ]),
    );
    for (const folder of others) expect(await readdir(folder)).toEqual(["innkeep.tar"]);
  });

  it("fails without a backup file if the journal of erasures cannot be copied into the same folder", async () => {
    const old = await deploy();
    const file = await path();
    await mkdir(join(dirname(file), "erasures.ndjson"));
    await expect(old.admin({ command: "backup", file })).rejects.toThrow(
      /erasures\.ndjson cannot be written \(/,
    );
    expect(await readdir(dirname(file))).toEqual(["erasures.ndjson"]);
  });

  it("does not follow a link that has the name of its temporary file", {
    skip: process.platform === "win32",
  }, async () => {
    const old = await deploy();

    const file = await path();
    const target = await path();
    await writeFile(target, "of somebody else");
    await symlink(target, `${file}.partial`);
    await old.admin({ command: "backup", file });
    expect(await readFile(target, "utf8")).toBe("of somebody else");
  });
});
