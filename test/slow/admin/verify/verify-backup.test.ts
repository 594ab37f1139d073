import { readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { newAgeKey } from "../../../support/backups/age-key.ts";
import { forgeBackup } from "../../../support/backups/forged-backup.ts";
import { databases, sqlite, type TestEngine } from "../../../support/database/databases.ts";
import { dataUrl, png } from "../../../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { fc } from "../../../support/property.ts";
import { makeDeployment } from "../../../support/service/deployment.ts";
import { rowsOf } from "../../../support/service/deployment-rows.ts";
import {
  fillThreads,
  makeOwnerWithOneOfEach,
  sendFeedback,
} from "../../../support/worlds/owner-with-one-of-each.ts";

async function deploy(engine: TestEngine) {
  const deployment = await makeDeployment(engine);
  onTestFinished(() => deployment.remove());
  return deployment;
}

/** A backup of a deployment with three files, and a folder for scratch folders. */
async function makeBackup(engine: TestEngine = sqlite, order: { recipient?: string; prove?: boolean } = {}) {
  const old = await deploy(engine);
  const service = await old.serve();
  const { app } = await makeOwnerWithOneOfEach(service).finally(() => undefined);
  for (const size of [3_000, 4_000, 200_000])
    await sendFeedback(service, app.key, { images: [dataUrl(png(size))], message: "Ada’s 🦓" });
  await fillThreads(service, app.id, Array(40).fill({ message: "x".repeat(5_000) }));
  await service.stop();
  const folder = await temporaryFolder();
  const file = join(folder, "backup.tar");
  const scratch = await temporaryFolder();
  const made = await old.admin({ command: "backup", file, scratch, ...order });
  return { old, folder, file, scratch, made };
}

type Made = Awaited<ReturnType<typeof makeBackup>>;

const verify = ({ old, file, scratch }: Pick<Made, "old" | "file" | "scratch">, identity?: string) =>
  old.admin({ command: "backup verify", file, scratch, identity });

const faultsOf = async (
  backup: Pick<Made, "old" | "file" | "scratch">,
  identity?: string,
): Promise<string[]> => {
  const error = await verify(backup, identity).catch((reason) => reason);
  expect(error).toBeInstanceOf(Error);
  return String(error.message).split("\n").slice(1);
};

const leftIn = async (folder: string) => (await readdir(folder)).filter((name) => name !== "verify.lock");

describe.each(databases)("a backup from $name", (engine) => {
  it("can be verified without a change of the backup or the deployment", async () => {
    const backup = await makeBackup(engine);
    const [rows, bytes] = [await rowsOf(backup.old), await readFile(backup.file)];
    expect(await verify(backup)).toEqual({
      ...{ file: backup.file, verified: true, rows: backup.made.rows, files: 4, missing: [] },
      secret: "not needed, because nothing is encrypted yet",
    });
    expect(await rowsOf(backup.old)).toEqual(rows);
    expect((await readFile(backup.file)).equals(bytes)).toBe(true);
    expect(await leftIn(backup.scratch)).toEqual([]);
  });

  it("can be encrypted for the operator, who verifies and restores it", async () => {
    const { recipient, identity } = await newAgeKey();
    const backup = await makeBackup(engine, { recipient, prove: true });
    expect(backup.made).toMatchObject({ proven: true, encrypted: true, files: 4 });
    expect((await readFile(backup.file)).includes("INSERT")).toBe(false);
    expect((await readFile(backup.file)).includes("manifest.sha256")).toBe(false);
    expect(await verify(backup, identity)).toMatchObject({ verified: true, files: 4 });
    const fresh = await deploy(engine);
    await fresh.admin({ command: "restore", file: backup.file, identity });
    expect(await rowsOf(fresh)).toEqual(await rowsOf(backup.old));
    expect(await fresh.admin({ command: "check" })).toEqual({ ok: true, files: 4, orphans: 0 });
    expect((await filesIn(backup.old.data)).filter((name) => name.endsWith(".tar"))).toEqual([]);
  });
});

describe("an encrypted backup", () => {
  it("is refused without a key, with another key, and with a file that contains no key", async () => {
    const { recipient } = await newAgeKey();
    const backup = await makeBackup(sqlite, { recipient });
    const other = await newAgeKey();
    await expect(verify(backup)).rejects.toThrow(
      /is encrypted\. Give the path of the file that contains the secret key, with --identity/,
    );
    await expect(verify(backup, other.identity)).rejects.toThrow(
      /is encrypted, and the file of keys does not contain its key/,
    );
    await expect(verify(backup, `${other.identity}.missing`)).rejects.toThrow(
      /cannot be read \(it does not exist\)/,
    );
    await writeFile(other.identity, other.recipient);
    await expect(verify(backup, other.identity)).rejects.toThrow(/This is a public key/);
    const fresh = await deploy(sqlite);
    await expect(fresh.admin({ command: "restore", file: backup.file })).rejects.toThrow(/is encrypted/);
    expect(await filesIn(fresh.data)).toEqual([]);
  });

  it("is not created for an invalid key, and the error does not contain a secret key", async () => {
    const { secretKey } = await newAgeKey();
    const old = await deploy(sqlite);
    await old.admin({ command: "migrate" });
    const file = join(await temporaryFolder(), "backup.tar");
    const error = await old
      .admin({ command: "backup", file, recipient: secretKey })
      .catch((reason) => reason);
    expect(error.message).toMatch(/^INNKEEP_BACKUP_RECIPIENT \(--recipient\): This is a secret key/);
    expect(error.message).not.toContain(secretKey);
  });
});

describe("a damaged backup", () => {
  it.each(["plain", "encrypted"])(
    "is detected after a change of any byte, and if it is incomplete: %s",
    async (kind) => {
      const { recipient, identity } = await newAgeKey();
      const backup = await makeBackup(sqlite, kind === "encrypted" ? { recipient } : {});
      const bytes = await readFile(backup.file);
      const place = fc.oneof(
        fc.nat(bytes.length - 1),
        fc.nat(2_000),
        fc.nat(2_000).map((n) => bytes.length - 1 - n),
      );
      const damages = fc.record({ place, by: fc.integer({ min: 0, max: 255 }) });
      await fc.assert(
        fc.asyncProperty(damages, async ({ place: at, by }) => {
          const damaged = by === 0 ? bytes.subarray(0, at) : Buffer.from(bytes);
          if (by > 0) damaged.writeUInt8(bytes.readUInt8(at) ^ by, at);
          const file = join(backup.folder, "damaged.tar");
          await writeFile(file, damaged);
          await expect(verify({ ...backup, file }, identity)).rejects.toThrow();
        }),
        { numRuns: 60 },
      );
    },
  );

  it("causes an error with every changed entry", async () => {
    const backup = await makeBackup();
    const bytes = await readFile(backup.file);
    const text = bytes.toString("latin1");
    const names = [...text.matchAll(/files\/[\da-f]{64}(?=\0)/g)].map(([name]) => name);
    expect(names).toHaveLength(4);
    // The content of the first, the name in the header of the second.
    bytes.writeUInt8(1, text.indexOf(names[0] ?? "") + 512 + 100);
    const second = text.indexOf(names[1] ?? "");
    bytes.write("F", second);
    await writeFile(backup.file, bytes);
    expect(await faultsOf(backup)).toEqual([
      `- The file is not a backup, or it is damaged: the entry at byte ${second} has changed.`,
      `- The backup is damaged: ${names[0]} has changed.`,
      `- ${names[1]} is missing in the backup.`,
      "- The backup is damaged: manifest.sha256 has changed.",
    ]);
  });

  it("causes an error with the changed parts of an encrypted backup", async () => {
    const { recipient, identity } = await newAgeKey();
    const backup = await makeBackup(sqlite, { recipient });
    const { size } = await stat(backup.file);
    const bytes = await readFile(backup.file);
    bytes.writeUInt8(bytes.readUInt8(Math.floor(size / 2)) ^ 1, Math.floor(size / 2));
    await writeFile(backup.file, bytes);
    expect((await faultsOf(backup, identity)).join("\n")).toMatch(/has changed\./);
  });

  it("causes an error that its end is missing", async () => {
    const backup = await makeBackup();
    await truncate(backup.file, (await stat(backup.file)).size - 1_024);
    expect(await faultsOf(backup)).toEqual(["- The backup is incomplete: its end is missing."]);
  });
});

describe("a backup whose manifest belongs to other rows", () => {
  const forged = async (change: (name: string, text: string) => string | undefined) => {
    const backup = await makeBackup();
    const file = join(backup.folder, "forged.tar");
    await forgeBackup(backup.file, file, change);
    return { ...backup, file };
  };

  it("is detected by the number of its rows", async () => {
    const backup = await forged((name, text) =>
      name.startsWith("database/messages/") ? text.replace(/^.*\n/, "") : text,
    );
    expect(await faultsOf(backup)).toEqual([
      expect.stringMatching(/^- The table messages has \d+ rows, not \d+\.$/),
    ]);
  });

  it("is detected by a row that refers to a missing row", async () => {
    const backup = await forged((name, text) =>
      name.startsWith("database/apps/") ? text.replace(/^.*\n/, "") : text,
    );
    expect((await faultsOf(backup)).join()).toMatch(/cannot be restored \(.*FOREIGN KEY constraint failed/);
  });

  it("is detected by a file that rows name and that is missing", async () => {
    let removed = "";
    const backup = await forged((name, text) => {
      if (name === "contents.json") return text.replace('"files":4', '"files":3');
      if (!name.startsWith("files/") || removed) return text;
      removed = name.slice("files/".length);
      return undefined;
    });
    expect(await faultsOf(backup)).toEqual([
      `- The backup does not contain the file ${removed}, but rows refer to it.`,
    ]);
  });

  it("is detected by the size of a file", async () => {
    const backup = await forged((name, text) =>
      name.startsWith("database/uploads/") ? text.replace(/\b200000\b/, "200001") : text,
    );
    expect((await faultsOf(backup)).join()).toMatch(/^- The file [\da-f]{64} has \d+ bytes, not 200001\.$/);
  });

  it("of an older version without counts is verified with what it contains", async () => {
    const backup = await forged((name, text) => (name === "contents.json" ? undefined : text));
    expect(await verify(backup)).toMatchObject({ verified: true, files: 4, missing: [] });
  });
});

describe("the verification of a backup", () => {
  it("needs no secret if the database contains nothing that was encrypted with it", async () => {
    const old = await deploy(sqlite);
    await old.admin({ command: "migrate" });
    const file = join(await temporaryFolder(), "backup.tar");
    await old.admin({ command: "backup", file });
    expect(await old.admin({ command: "backup verify", file })).toMatchObject({
      secret: "not needed, because nothing is encrypted yet",
    });
  });

  it("leaves nothing in the temporary folder, even after a fault", async () => {
    const backup = await makeBackup();
    const file = join(backup.folder, "forged.tar");
    await forgeBackup(backup.file, file, (name, text) =>
      name.startsWith("database/apps/") ? "not JSON\n" : text,
    );
    await faultsOf({ ...backup, file });
    expect(await leftIn(backup.scratch)).toEqual([]);
  });
});
