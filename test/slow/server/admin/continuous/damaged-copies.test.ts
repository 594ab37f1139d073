import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { newAgeKey } from "../../../../support/backups/age-key.ts";
import { copiedDeployment, deploy } from "../../../../support/backups/copied-deployment.ts";
import { dataUrl, png } from "../../../../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../../../../support/files/temporary-folder.ts";
import { makeOwnerWithOneOfEach, sendFeedback } from "../../../../support/worlds/owner-with-one-of-each.ts";

describe("a damaged continuous backup", { timeout: 120_000 }, () => {
  const damage = async (path: string) => {
    const bytes = await readFile(path);
    bytes.fill(0, Math.floor(bytes.length / 2));
    await writeFile(path, bytes);
  };
  const oneIn = async (copies: string, what: RegExp) =>
    (await filesIn(copies)).find((path) => what.test(path)) ?? "";
  const keys = [
    { name: "without a key", isEncrypted: false },
    { name: "for a key", isEncrypted: true },
  ];

  it.each(keys)(
    "$name is restored without the file that is damaged, and names it",
    async ({ isEncrypted }) => {
      const { recipient, identity } = await newAgeKey();
      const { service, copies, copied, stop, from } = await copiedDeployment(
        isEncrypted ? { INNKEEP_BACKUP_RECIPIENT: recipient } : {},
      );
      const { app } = await makeOwnerWithOneOfEach(service);
      await sendFeedback(service, app.key, { images: [dataUrl(png(5_000))] });
      await copied();
      await stop();
      const file = await oneIn(copies, /[/\\]files.*[\da-f]{64}$/);
      await damage(file);
      const fresh = await deploy();
      expect(await fresh.admin({ command: "restore instant", from, identity })).toMatchObject({
        files: 0,
        missing: [file.slice(-64)],
      });
    },
  );

  it("that is no folder is named", async () => {
    const fresh = await deploy();
    const file = join(await temporaryFolder(), "monday.tar");
    await writeFile(file, "a backup");
    for (const place of [file, `${file}.missing`])
      for (const command of ["instants", "restore instant"] as const)
        await expect(fresh.admin({ command, from: { place } })).rejects.toThrow(
          `There is no folder ${place}`,
        );
  });

  it("names a damaged secret and a damaged journal, and leaves a place for another try", async () => {
    const { copies, copied, stop, from } = await copiedDeployment();
    await copied();
    await stop();
    const secretCopy = await oneIn(copies, /[/\\]secret$/);
    const whole = await readFile(secretCopy);
    await writeFile(secretCopy, "");
    const fresh = await deploy();
    const restoring = () => fresh.admin({ command: "restore instant", from });
    await expect(restoring()).rejects.toThrow(
      /secret is damaged: its content has changed. Set INNKEEP_SECRET/,
    );
    await writeFile(secretCopy, whole);
    await writeFile(join(copies, "erasures"), "no journal");
    await expect(restoring()).rejects.toThrow(/^erasures is damaged.*--erasures\.$/);
    await rm(join(copies, "erasures"));
    expect(await restoring()).toMatchObject({ missing: [] });
  });
});
