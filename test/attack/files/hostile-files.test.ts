import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { feedbackFiles } from "../../../src/contract/limits.ts";
import { hostileFiles } from "../../support/files/hostile-files.ts";
import { dataUrl, mp4, pdf, png, type SampleFile } from "../../support/files/sample-files.ts";
import { p99 } from "../../support/network/hostile-connections.ts";
import { randomFrom, runSeed } from "../../support/random-seed.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { storedFiles } from "../../support/service/stored-content.ts";
import { quietGoal, rounds } from "../../support/torture.ts";
import { makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/feedback/remote";
let service: Service;
let key: Record<string, string>;
beforeAll(async () => {
  const settings = { storedBytesPerApp: Number.POSITIVE_INFINITY };
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" }, settings });
  ({ key } = await makeAppWithAgent(service));
});
afterAll(() => service.stop());

const submit = (more: object) =>
  service.request("POST", path, { headers: key, body: { type: "bug", message: "x", ...more } });
const fieldOf = ({ mediaType }: SampleFile) =>
  mediaType === "application/pdf" ? "attachments" : mediaType.startsWith("video/") ? "videos" : "images";
const element = (file: SampleFile) =>
  fieldOf(file) === "attachments" ? { name: file.name, data: dataUrl(file) } : dataUrl(file);

describe("hostile files", () => {
  const files = hostileFiles(randomFrom(runSeed), rounds(60, 1_000));

  it("are more than 300, and the server refuses all", async () => {
    expect(files.length).toBeGreaterThan(300);
    const taken: string[] = [];
    const times: number[] = [];
    for (const file of files) {
      const started = performance.now();
      const { status } = await submit({ [fieldOf(file)]: [element(file)] });
      times.push(performance.now() - started);
      if (status !== 400) taken.push(`${file.what} as ${file.mediaType}: ${status}`);
    }
    expect(taken).toEqual([]);
    expect(await storedFiles(service)).toEqual([]);
    process.stdout.write(`${files.length} hostile files: p99 ${p99(times).toFixed(0)} ms\n`);
    expect(p99(times)).toBeLessThan(quietGoal(50));
  });
});

describe("the limits of files", () => {
  const bytes = [
    [png, feedbackFiles.images.bytes],
    [mp4, feedbackFiles.videos.bytes],
    [pdf, feedbackFiles.attachments.bytes],
  ] as const;

  it.each(bytes.map(([build, limit]) => [build().mediaType, limit, build] as const))(
    "allow for %s %i bytes or one less, and not one more",
    async (_, limit, build) => {
      const statusOf = async (size: number) => {
        const file = build(size);
        return (await submit({ [fieldOf(file)]: [element(file)] })).status;
      };
      expect([await statusOf(limit - 1), await statusOf(limit), await statusOf(limit + 1)]).toEqual([
        201, 201, 400,
      ]);
    },
  );

  const counts = [
    [png, feedbackFiles.images.most],
    [mp4, feedbackFiles.videos.most],
    [pdf, feedbackFiles.attachments.most],
  ] as const;

  it.each(counts.map(([build, most]) => [fieldOf(build()), most, build] as const))(
    "allow for %s %i files or one fewer, and not one more",
    async (field, most, build) => {
      const statusOf = async (count: number) =>
        (await submit({ [field]: Array.from({ length: count }, () => element(build())) })).status;
      expect([await statusOf(most - 1), await statusOf(most), await statusOf(most + 1)]).toEqual([
        201, 201, 400,
      ]);
    },
  );

  it("allow for a whole body 60 MiB or one byte less, and not one byte more", async () => {
    const most = 60 * 1_048_576;
    const statusOf = async (size: number) => {
      const part = (head: string) => `--b\r\nContent-Disposition: form-data; ${head}\r\n\r\n`;
      const begin = `${part("name=type")}bug\r\n${part("name=message")}x\r\n${part("name=other; filename=a")}`;
      const end = "\r\n--b--\r\n";
      const body = Buffer.concat([
        Buffer.from(begin),
        Buffer.alloc(size - begin.length - end.length),
        Buffer.from(end),
      ]);
      const headers = { ...key, "content-type": "multipart/form-data; boundary=b" };
      return (await fetch(service.baseUrl + path, { method: "POST", headers, body })).status;
    };
    expect([await statusOf(most - 1), await statusOf(most), await statusOf(most + 1)]).toEqual([
      201, 201, 413,
    ]);
  });
});
