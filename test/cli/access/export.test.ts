import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeOwnerCommandLine } from "../../support/clients/owner-command-line.ts";
import { listen } from "../../support/network/recording-server.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { sendFeedback } from "../../support/worlds/owner-with-one-of-each.ts";
import { linesIn } from "../../support/worlds/transfer/app-file.ts";

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

async function ownerWithFeedback() {
  const world = await makeOwnerCommandLine(service);
  await sendFeedback(service, world.larder.key);
  const line = await world.script(["apps:read", "apps:export"]);
  const read = (name: string) => readFile(join(line.cwd, name));
  return { ...world, line, read };
}

describe("the command export", () => {
  it("writes all data of an app into a new file that only its owner can read", async () => {
    const { line, larder, read } = await ownerWithFeedback();
    const ran = await line.run(["export", "--app", "Larder", "--output", "larder.ndjson", "--json"]);
    expect(ran.exit).toBe(0);
    const bytes = await read("larder.ndjson");
    expect(ran.json()).toMatchObject({ file: "larder.ndjson", appId: larder.id, bytes: bytes.length });
    expect(linesIn(bytes).map(({ type }) => type)).toEqual(
      expect.arrayContaining(["export", "app", "member", "thread", "audit", "end"]),
    );
    expect(await readdir(line.cwd)).toEqual(["larder.ndjson"]);
  });

  it("writes an archive with the files, with the date in its name unless a name is given", async () => {
    const { line, larder, read } = await ownerWithFeedback();
    const ran = await line.run(["export", "--app", "Larder", "--files"]);
    expect([ran.exit, ran.stderr]).toEqual([0, expect.stringContaining("keep it safe")]);
    const [name = ""] = await readdir(line.cwd);
    expect(name).toMatch(new RegExp(`^innkeep-${larder.id.slice(0, 8)}-\\d{4}-\\d\\d-\\d\\d\\.tar$`));
    expect(linesIn(await read(name))[0]).toMatchObject({ files: true });
  });

  it("replaces an existing file only with a flag", async () => {
    const { line, read } = await ownerWithFeedback();
    await writeFile(join(line.cwd, "a.ndjson"), "mine");
    const command = ["export", "--app", "Larder", "--output", "a.ndjson"];
    const refused = await line.run(command);
    expect([refused.exit, refused.stderr]).toEqual([7, expect.stringContaining("--force")]);
    expect((await read("a.ndjson")).toString()).toBe("mine");
    expect((await line.run([...command, "--force"])).exit).toBe(0);
    expect(linesIn(await read("a.ndjson")).at(-1)).toMatchObject({ type: "end" });
  });

  it("needs the scope, and creates no file without it", async () => {
    const world = await makeOwnerCommandLine(service);
    const line = await world.script(["apps:read", "apps:write", "audit:read"]);
    expect((await line.run(["export", "--app", world.larder.id])).exit).toBe(5);
    expect(await readdir(line.cwd)).toEqual([]);
  });

  it("leaves no incomplete file if the connection ends, and tries again", async () => {
    const { line, larder } = await ownerWithFeedback();
    let requests = 0;
    const baseUrl = await listen((_, response) => {
      requests++;
      response.writeHead(200, { "content-type": "application/x-ndjson", "content-length": 1_000 });
      response.write('{"type":"export"}\n');
      setImmediate(() => response.destroy());
    });
    const ran = await line.run(["export", "--app", larder.id, "--output", "b.ndjson"], {
      env: { INNKEEP_BASE_URL: baseUrl },
    });
    expect([ran.exit, requests > 1]).toEqual([75, true]);
    expect(await readdir(line.cwd)).toEqual([]);
  });

  it("reports that it cannot write the file, and does not try again", async () => {
    const { line } = await ownerWithFeedback();
    const ran = await line.run(["export", "--app", "Larder", "--output", "missing/folder/a.ndjson"]);
    expect(ran.exit).toBe(1);
    expect(ran.stderr).toContain("ENOENT");
  });
});
