import { readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runAdmin } from "../../../../../server/admin/main.ts";
import { startContinuous } from "../../../../../server/start/open-continuous.ts";
import { newAgeKey } from "../../../../support/backups/age-key.ts";
import { copiedDeployment, deploy, secret } from "../../../../support/backups/copied-deployment.ts";
import { eventually } from "../../../../support/eventually.ts";
import { dataUrl, pdf, png } from "../../../../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../../../../support/files/temporary-folder.ts";
import type { Deployment } from "../../../../support/service/deployment.ts";
import { rowsOf } from "../../../../support/service/deployment-rows.ts";
import { startService } from "../../../../support/service/service.ts";
import { makeOwnerWithOneOfEach, sendFeedback } from "../../../../support/worlds/owner-with-one-of-each.ts";
import {
  grace,
  graceAddress,
  makePersonEverywhere,
} from "../../../../support/worlds/people/person-everywhere.ts";

const countRows = async (deployment: Deployment) => (await rowsOf(deployment)).length;

describe("an instant that is restored from a continuous backup", () => {
  it("has every row and every file of that instant, and none of later ones", async () => {
    const { deployment, service, copied, stop, from } = await copiedDeployment();
    const { app } = await makeOwnerWithOneOfEach(service);
    await copied();
    await sendFeedback(service, app.key, { message: "Before.", images: [dataUrl(png(5_000))] });
    const at = await copied();
    await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(at));
    await sendFeedback(service, app.key, {
      message: "After.",
      attachments: [{ name: "a.pdf", data: dataUrl(pdf(9_000)) }],
    });
    await stop();

    const [then, last] = [await deploy(), await deploy()];
    const restored = await then.admin({ command: "restore instant", from, at, secret });
    expect(restored).toMatchObject({ files: 1, missing: [] });
    expect(Date.parse(String(restored.at))).toBeLessThanOrEqual(Date.parse(at));
    expect(await then.admin({ command: "check" })).toEqual({ ok: true, files: 1, orphans: 0 });
    const texts = (await rowsOf(then)).join();
    expect(texts).toContain("Before.");
    expect(texts).not.toContain("After.");
    expect(await readFile(join(then.data, "secret"), "utf8")).toBe(secret);

    expect(await last.admin({ command: "restore instant", from })).toMatchObject({ files: 2, missing: [] });
    expect(await rowsOf(last)).toEqual(await rowsOf(deployment));
  });

  it("brings back no session, as no backup does", async () => {
    const { service, copied, stop, from } = await copiedDeployment();
    const { headers } = await makeOwnerWithOneOfEach(service);
    await copied();
    await stop();
    const fresh = await deploy();
    await fresh.admin({ command: "restore instant", from });
    const again = await fresh.serve({ secret });
    expect((await again.request("GET", "/api/v1/console/me", { headers })).status).toBe(401);
    await again.stop();
  });

  it("erases the people again who were erased since", async () => {
    const { service, copied, stop, from } = await copiedDeployment();
    const { call } = await makePersonEverywhere(service);
    const at = await copied();
    const { id } = Object((await call("POST", "/people/erase", { email: grace })).body);
    await eventually(async () =>
      expect((await call("GET", `/people/erasures/${id}`)).body).toMatchObject({ status: "done" }),
    );
    await copied();
    await stop();
    const fresh = await deploy();
    const restored = await fresh.admin({ command: "restore instant", from, at, secret });
    expect(restored).toMatchObject({ erasedAgain: { found: 1 } });
    expect((await rowsOf(fresh)).join().toLowerCase()).not.toContain(graceAddress);
  });

  it("is restored into a folder that does not exist yet", async () => {
    const { copied, stop, from } = await copiedDeployment();
    await copied();
    await stop();
    const data = join(await temporaryFolder(), "new", "folder");
    await runAdmin({ command: "restore instant", from, data });
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    expect(await runAdmin({ command: "check", data })).toMatchObject({ ok: true });
  });

  it("is not restored over other data, nor into PostgreSQL", async () => {
    const { copied, stop, from } = await copiedDeployment();
    await copied();
    await stop();
    const fresh = await deploy();
    await fresh.admin({ command: "restore instant", from });
    const rows = await countRows(fresh);
    await expect(fresh.admin({ command: "restore instant", from })).rejects.toThrow("already exists");
    expect(await countRows(fresh)).toBe(rows);
    const postgresUrl = { data: await temporaryFolder(), databaseUrl: "postgres://nowhere/innkeep" };
    await expect(runAdmin({ command: "restore instant", from, ...postgresUrl })).rejects.toThrow(
      "restored into a folder, with SQLite",
    );
  });

  it("must not be before the first one, which the message names", async () => {
    const { copied, stop, from } = await copiedDeployment();
    await copied();
    await stop();
    const fresh = await deploy();
    const listed = Object(await fresh.admin({ command: "instants", from }));
    const { first } = listed.generations[0];
    const early = fresh.admin({ command: "restore instant", from, at: "2020-01-01T00:00:00Z" });
    await expect(early).rejects.toThrow(`The first instant that can be restored is ${first}`);
    const nothing = { place: await temporaryFolder() };
    await expect(fresh.admin({ command: "restore instant", from: nothing })).rejects.toThrow(
      "There is no continuous backup in this place",
    );
  });

  it("is restored without a file whose copy is missing, and names that file", async () => {
    const { service, copies, copied, stop, from } = await copiedDeployment();
    const { app } = await makeOwnerWithOneOfEach(service);
    await sendFeedback(service, app.key, { images: [dataUrl(png(5_000))] });
    await copied();
    await stop();
    const [file = ""] = (await filesIn(join(copies, "files"))) ?? [];
    await rm(file);
    const fresh = await deploy();
    const restored = await fresh.admin({ command: "restore instant", from });
    expect(restored).toMatchObject({ files: 0, missing: [file.slice(-64)] });
    expect(await fresh.admin({ command: "check" })).toMatchObject({ ok: true, files: 0 });
  });
});

describe("a continuous backup for a key", () => {
  it("holds nothing that can be read without the secret key, which restores it", async () => {
    const { recipient, identity } = await newAgeKey();
    const { service, copies, copied, stop, from } = await copiedDeployment({
      INNKEEP_BACKUP_RECIPIENT: recipient,
    });
    const { app } = await makeOwnerWithOneOfEach(service);
    await sendFeedback(service, app.key, { images: [dataUrl(png(5_000))] });
    await copied();
    await stop();
    const links = (await filesIn(copies)).filter((path) => path.endsWith(".link"));
    for (const path of links) expect(await readFile(path, "latin1")).toContain("\nage-encryption.org/v1\n");
    const others = (await filesIn(copies)).filter((path) => /files-|secret|erasures/.test(path));
    expect(others.length).toBeGreaterThan(1);
    for (const path of others) expect(await readFile(path, "latin1")).toMatch(/^age-encryption.org/);

    const fresh = await deploy();
    await expect(fresh.admin({ command: "restore instant", from })).rejects.toThrow("--identity");
    const other = await newAgeKey();
    await expect(fresh.admin({ command: "restore instant", from, identity: other.identity })).rejects.toThrow(
      "another key",
    );
    expect(await fresh.admin({ command: "restore instant", from, identity })).toMatchObject({ files: 1 });
  });
});

describe("the place of a continuous backup", () => {
  it("is not shared with another deployment, whose copies it would delete", async () => {
    const first = await copiedDeployment();
    await first.copied();
    await first.stop();
    const other = await startService({ environment: { INNKEEP_CONTINUOUS_BACKUP: first.copies } });
    const backup = startContinuous(other.deps);
    await eventually(() => expect(other.logged()).toContain("copies of another deployment"));
    expect(backup?.status().copiedAt).toBeUndefined();
    await backup?.stop();
    await other.stop();
    await backup?.close();
  });
});
