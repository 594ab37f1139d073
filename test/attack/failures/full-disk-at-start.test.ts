import { rm, statfs, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runAdmin } from "../../../server/admin/main.ts";
import { serve } from "../../../server/main.ts";
import { appKey } from "../../support/clients/client-with-credentials.ts";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { databases, postgres } from "../../support/database/databases.ts";
import { canMount, mountSmall, unmount } from "../../support/database/full-disk.ts";
import { removableFolder, temporaryFolder } from "../../support/files/temporary-folder.ts";

const mayMount = await canMount();
const where = mayMount ? "a small disk" : "no small disk, because this user cannot mount one";

/** A folder on a disk of 4 MB. `fill` leaves this number of bytes free. */
async function smallDisk() {
  const { path, remove } = await removableFolder();
  await mountSmall(path, 4 * 1_048_576);
  onTestFinished(async () => {
    await unmount(path);
    await remove();
  });
  const ballast = join(path, "ballast");
  const fill = async (left: number) => {
    await rm(ballast, { force: true });
    const { bavail, bsize } = await statfs(path);
    await writeFile(ballast, Buffer.alloc(bavail * bsize - left));
  };
  return { folder: path, fill };
}

const start = (data: string, environment: Record<string, string> = {}) => {
  const world = {
    environment,
    out: () => undefined,
    err: () => undefined,
    stop: AbortSignal.timeout(60_000),
  };
  return serve({ data, port: 0, json: true }, world);
};

const fullDisk = (folder: string) =>
  `The disk of the folder ${folder} is full: free some space on it, or move the folder to a larger disk, then try again.`;

const account = { email: "ada@owners.example", password: "correct horse battery staple" };

/** The amounts of free space at which different steps of the start fail. */
const amounts = [0, 4_096, 20_480, 65_536, 1_048_576];

describe.runIf(databases.some(({ engine }) => engine === "sqlite"))(`on a full disk (${where})`, () => {
  it.runIf(mayMount).each(amounts)("with %i free bytes, the start of a server says so", async (left) => {
    const { folder, fill } = await smallDisk();
    await fill(left);
    const data = join(folder, "data");
    await expect(start(data)).rejects.toThrow(fullDisk(data));
  });

  it.runIf(mayMount).each(amounts)("with %i free bytes, a command of the operator says so", async (left) => {
    const { folder, fill } = await smallDisk();
    await fill(left);
    const data = join(folder, "data");
    await expect(runAdmin({ command: "migrate", data })).rejects.toThrow(fullDisk(data));
  });

  it.runIf(mayMount)(
    "the start of a server with data says so, and later succeeds with more space",
    async () => {
      const { folder, fill } = await smallDisk();
      const data = join(folder, "data");
      await runAdmin({ command: "migrate", data });
      await fill(0);
      await expect(start(data)).rejects.toThrow(fullDisk(data));
      await expect(runAdmin({ command: "user create", data, ...account })).rejects.toThrow(fullDisk(data));
      await fill(1_048_576);
      expect(await runAdmin({ command: "check", data })).toMatchObject({ ok: true });
    },
  );

  it.runIf(mayMount).each([
    ["config", "set", "server", "http://127.0.0.1:9"],
    ["auth", "set", "api-key", "--insecure-storage"],
  ])("the command `%s %s` names the folder", async (...words) => {
    const { folder, fill } = await smallDisk();
    await fill(0);
    const environment = { INNKEEP_CONFIG_DIR: folder, INNKEEP_BASE_URL: "http://127.0.0.1:9" };
    const line = await createCommandLine(environment);
    const ran = await line.run(words, { stdin: `${appKey}\n` });
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain(folder);
    expect(ran.stderr).toContain("the disk is full");
    expect(ran.stderr).toContain("Free some space");
  });
});

const refusal = `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = '53100'; END $$`;

describe.runIf(databases.includes(postgres))("on a full disk of PostgreSQL", () => {
  it("the start of a server and a command of the operator say so", async () => {
    const made = await postgres.create();
    onTestFinished(() => made.remove());
    const database = await made.open();
    await database.write((tx) => tx.run(refusal));
    for (const table of ["deployment", "users"])
      await database.write((tx) =>
        tx.run(`CREATE TRIGGER refuse BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse()`),
      );
    const databaseUrl = "url" in made.address ? made.address.url : "";
    const message = "The disk of the PostgreSQL server is full: free some space on it, then try again.";
    const environment = { INNKEEP_DATABASE_URL: databaseUrl, INNKEEP_SECRET: "s".repeat(32) };
    await expect(start(await temporaryFolder(), environment)).rejects.toThrow(message);
    const request = { command: "user create", databaseUrl, ...account } as const;
    await expect(runAdmin(request)).rejects.toThrow(message);
  });
});
