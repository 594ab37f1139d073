import { stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { deploymentSecret } from "../../server/start/unlock.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

describe("the secret of a deployment", () => {
  it("is created once in the data folder, and only its owner can read the file", async () => {
    const folder = await temporaryFolder();
    const secret = await deploymentSecret(undefined, folder, true);
    expect(await deploymentSecret(undefined, folder, true)).toBe(secret);
    expect((await stat(join(folder, "secret"))).mode & 0o777).toBe(0o600);
  });

  it("is the same for servers that start at the same time", async () => {
    const folder = await temporaryFolder();
    const secrets = await Promise.all(
      Array.from({ length: 8 }, () => deploymentSecret(undefined, folder, true)),
    );
    expect(new Set(secrets).size).toBe(1);
  });

  it("must be set if the database is PostgreSQL", async () => {
    await expect(deploymentSecret(undefined, await temporaryFolder(), false)).rejects.toThrow(
      "INNKEEP_SECRET",
    );
  });

  it("must have a minimum length", async () => {
    await expect(deploymentSecret("short", await temporaryFolder(), false)).rejects.toThrow("INNKEEP_SECRET");
  });
});
