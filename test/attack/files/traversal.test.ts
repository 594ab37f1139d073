import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataUrl, pdf } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const ups = [
  "../",
  "..\\",
  "%2e%2e/",
  "%2e%2e%2f",
  "..%2f",
  "..%5c",
  "%252e%252e%252f",
  "....//",
  "..;/",
  "%c0%ae%c0%ae/",
  "./../",
  "..%00/",
];
const targets = [
  "etc/passwd",
  "secret",
  "planted.txt",
  "innkeep.db",
  "files/planted.txt",
  "planted.txt%00.png",
  "planted.txt/.",
];
const begins = ["", "/", "//", "./", "C:\\", "file://"];

/** Over five hundred paths that lead out of the folder. */
const traversals = begins.flatMap((begin) =>
  ups.flatMap((up) => targets.map((target, at) => `${begin}${up.repeat(1 + (at % 4))}${target}`)),
);

describe("a path that leads out of its folder", () => {
  let service: Service;
  const planted = "what lies outside of the uploads";
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    const { data } = service.deps.settings;
    for (const place of ["planted.txt", "files/planted.txt"]) await writeFile(join(data, place), planted);
  });
  afterAll(() => service.stop());

  it("reads no file", async () => {
    expect(traversals.length).toBeGreaterThan(500);
    const connection = await connectRaw(service.baseUrl);
    for (const path of traversals) connection.write(headOf("GET", `/uploads/${path}`, {}));
    connection.write(headOf("GET", "/healthz", { Connection: "close" }));
    const answers = await connection.read();
    expect(answers).not.toContain(planted);
    expect(answers).not.toMatch(/root:|SQLite format/);
    const statuses = [...answers.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
    expect(new Set(statuses.slice(0, -1))).toEqual(new Set(["404"]));
    expect(statuses).toHaveLength(traversals.length + 1);
  });

  it("writes no file if it is the name of a file or a field", async () => {
    const { key, appId } = await makeAppWithAgent(service);
    const { data } = service.deps.settings;
    const outside = async () =>
      (await filesIn(data)).filter((path) => !/files[/\\][0-9a-f]{2}[/\\]/.test(path)).sort();
    const before = await outside();
    const names = traversals.filter((_, at) => at % rounds(10, 1) === 0);
    for (const name of names) {
      const attachments = [{ name, data: dataUrl(pdf()) }];
      const body = { type: "bug", message: "x", attachments, [name]: name };
      expect((await service.request("POST", "/api/v1/feedback/remote", { headers: key, body })).status).toBe(
        201,
      );
    }
    expect(await outside()).toEqual(before);
    const kept = await service.deps.database.all<{ name: string }>(
      "SELECT file_name AS name FROM uploads WHERE app_id = ?",
      appId,
    );
    expect(kept).toHaveLength(names.length);
    for (const { name } of kept) expect(name).toMatch(/^[^/\\\p{Cc}]{1,200}\.pdf$/u);
  });
});
