import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { openFilesIn } from "../../support/files/open-files.ts";
import { dataUrl, mp4, pdf, png } from "../../support/files/sample-files.ts";
import { filesIn } from "../../support/files/temporary-folder.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { randomFrom, runSeed } from "../../support/random-seed.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf, storedFiles } from "../../support/service/stored-content.ts";
import { rounds } from "../../support/torture.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/feedback/remote";
const json = Buffer.from(
  JSON.stringify({
    type: "bug",
    message: "x",
    images: [dataUrl(png(90_000))],
    videos: [dataUrl(mp4(300_000))],
    attachments: [{ name: "a.pdf", data: dataUrl(pdf(50_000)) }],
  }),
);
const part = (head: string, content: string | Buffer) =>
  Buffer.concat([
    Buffer.from(`--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
    Buffer.from(content),
    Buffer.from("\r\n"),
  ]);
const form = Buffer.concat([
  part("name=type", "bug"),
  part("name=message", "x"),
  part("name=images; filename=a.png", png(90_000).bytes),
  part("name=videos; filename=a.mp4", mp4(300_000).bytes),
  Buffer.from("--b--\r\n"),
]);

describe("uploads that end at any byte too early", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  });
  afterAll(() => service.stop());

  it("leave no file, no descriptor and no report", { timeout: 600_000 }, async () => {
    const random = randomFrom(runSeed);
    const { key, appId } = await makeAppWithAgent(service);
    const { data } = service.deps.settings;
    const files = `${data}/files`;
    const cutOne = async () => {
      const [body, type] =
        random() < 0.5 ? [json, "application/json"] : [form, "multipart/form-data; boundary=b"];
      const length = Math.floor(random() * body.length);
      const connection = await connectRaw(service.baseUrl);
      connection.write(headOf("POST", path, { ...key, "Content-Type": type, "Content-Length": body.length }));
      connection.write(body.subarray(0, length));
      // Some uploads reach the server completely, others end too early.
      if (random() < 0.7)
        await vi
          .waitFor(async () => expect((await openFilesIn(files)).length).toBeGreaterThan(0), {
            timeout: 50,
            interval: 5,
          })
          .catch(() => {});
      await connection.cut();
    };
    const count = rounds(40, 1_000);
    for (let done = 0; done < count; done += 8) await Promise.all(Array.from({ length: 8 }, cutOne));
    await vi.waitFor(
      async () => {
        expect(await openFilesIn(files)).toEqual([]);
        expect(await storedFiles(service)).toEqual([]);
      },
      { timeout: 60_000 },
    );
    expect(await rowsOf(service, "feedback", appId)).toBe(0);
  });
});

it("an upload whose bytes cannot be counted at the end leaves no file", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const { key } = await makeAppWithAgent(service);
  await service.deps.database.write((tx) =>
    tx.run(
      `CREATE TRIGGER broken BEFORE INSERT ON byte_uses WHEN NEW.bytes > 1 BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    ),
  );
  const connection = await connectRaw(service.baseUrl);
  const chunked = { ...key, "Content-Type": "application/json", "Transfer-Encoding": "chunked" };
  connection.write(headOf("POST", path, chunked));
  connection.write(`${json.length.toString(16)}\r\n`);
  connection.write(json);
  connection.write("\r\n0\r\n\r\n");
  expect(await connection.read(/^HTTP\/1\.1 \d+/)).toMatch(/^HTTP\/1\.1 500 /);
  const files = await filesIn(service.deps.settings.data);
  expect(files.filter((file) => file.includes("temporary"))).toEqual([]);
});
