import { chmod, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { runAdmin } from "../../../server/admin/main.ts";
import { restore } from "../../../server/backup/restore.ts";
import { lockFolder } from "../../../server/database/folder-lock.ts";
import { serve } from "../../../server/main.ts";
import { dataUrl, png } from "../../support/files/sample-files.ts";
import { filesIn, temporaryFolder } from "../../support/files/temporary-folder.ts";
import { innkeep, startInnkeep } from "../../support/programs/built-program.ts";

let data: string;
beforeEach(async () => {
  data = await temporaryFolder();
});

const start = async () => {
  const server = await startInnkeep(["--demo", "--port", "0", "--data", data]);
  onTestFinished(server.kill);
  return server;
};

/** Starts a server in this process that waits only briefly for the other one. Returns its warnings. */
const startHere = async () => {
  let said = "";
  const stop = new AbortController();
  const world = {
    environment: {},
    out: () => stop.abort(),
    err: (text: string) => {
      said += text;
    },
    stop: stop.signal,
    folderPatienceMs: 100,
  };
  await serve({ data, port: 0, json: true }, world);
  return said;
};

const sendPicture = async (baseUrl: string, apiKey: string) => {
  const answer = await fetch(`${baseUrl}/api/v1/feedback/remote`, {
    method: "POST",
    headers: { "x-api-key": apiKey, "content-type": "application/json" },
    body: JSON.stringify({ type: "bug", message: "Look.", images: [dataUrl(png(3_000))] }),
  });
  expect(answer.status).toBe(201);
};

describe("a second server on the folder of a SQLite database", () => {
  it("refuses to start while the first server runs, and gives the reason", async () => {
    const first = await start();
    await expect(startHere()).rejects.toThrow(`Another server, or a restore, uses the folder ${data}.`);
    expect((await fetch(`${first.ready.baseUrl}/readyz`)).status).toBe(200);
  });

  it("waits for the end of the first server, so that a restart can overlap", async () => {
    const first = await start();
    const second = start();
    await expect.poll(() => first.child.kill("SIGTERM")).toBe(true);
    expect(await first.ended).toBe(0);
    expect((await fetch(`${(await second).ready.baseUrl}/readyz`)).status).toBe(200);
  });

  it("starts immediately after the first server was killed", async () => {
    const first = await start();
    await first.kill();
    await startHere();
  });

  it("does not block the commands of the operator", async () => {
    await start();
    expect(await innkeep(["admin", "check", "--data", data])).toMatchObject({ code: 0 });
  });

  it("prevents a restore into the folder while it starts", async () => {
    const old = await temporaryFolder();
    await runAdmin({ command: "migrate", data: old });
    const file = join(await temporaryFolder(), "backup.tar");
    await runAdmin({ command: "backup", file, data: old });
    const lock = await lockFolder(data);
    const place = { data, databaseUrl: undefined };
    await expect(restore(place, { file }, { patienceMs: 50 })).rejects.toThrow("Another server");
    expect(await readdir(data)).toEqual(["innkeep.lock"]);
    await lock.release();
  });
});

describe("a data folder", () => {
  it("that others can read becomes private, together with its database", async () => {
    await chmod(data, 0o755);
    await runAdmin({ command: "migrate", data });
    await chmod(join(data, "innkeep.db"), 0o644);
    await startHere();
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    expect((await stat(join(data, "innkeep.db"))).mode & 0o777).toBe(0o600);
  });

  it("has files that only their owner can read", async () => {
    await chmod(data, 0o700);
    const { ready } = await start();
    await sendPicture(ready.baseUrl, ready.demo.apiKey);
    const modes = await Promise.all(
      (await filesIn(data)).map(async (file) => (await stat(file)).mode & 0o077),
    );
    expect(modes.filter((mode) => mode !== 0)).toEqual([]);
  });

  it.each(["empty", "missing"])("with files whose database is %s creates no new database", async (kind) => {
    const first = await start();
    await sendPicture(first.ready.baseUrl, first.ready.demo.apiKey);
    first.child.kill("SIGTERM");
    await first.ended;
    const file = join(data, "innkeep.db");
    if (kind === "empty") await truncate(file);
    else await rm(file);
    await expect(startHere()).rejects.toThrow("is missing or empty");
    if (kind === "empty") expect((await stat(file)).size).toBe(0);
  });

  it("with only an empty database can be used", async () => {
    await writeFile(join(data, "innkeep.db"), "");
    await startHere();
  });
});
