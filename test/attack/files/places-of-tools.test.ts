import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startBrowser, type TestBrowser } from "../../support/browser/browser.ts";
import { inputPath } from "../../support/files/inputs.ts";
import { dataUrl, type SampleFile } from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

// Pictures and films that FFmpeg and ExifTool wrote, with a position in each format that they support.
const folder = inputPath("places");
const names = await readdir(folder);

const mediaTypes: Readonly<Record<string, string>> = {
  ".gif": "image/gif",
  ".jpg": "image/jpeg",
  ".mov": "video/quicktime",
  ".mp4": "video/mp4",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".webm": "video/webm",
  ".webp": "image/webp",
};

const inputs: SampleFile[] = await Promise.all(
  names.map(async (name) => ({
    name,
    mediaType: mediaTypes[extname(name)] ?? "",
    bytes: await readFile(join(folder, name)),
  })),
);

let service: Service;
let cast: AppWithAgent;
let browser: TestBrowser;
let page: Page;
let received: string;
const served = new Map<string, SampleFile>();
beforeAll(async () => {
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  cast = await makeAppWithAgent(service);
  browser = await startBrowser();
  page = await (await browser.newContext()).newPage();
  received = await mkdtemp(join(tmpdir(), "innkeep-places-"));
  for (const input of inputs) {
    const bytes = await servedBytes(input);
    served.set(input.name, { ...input, bytes });
    await writeFile(join(received, input.name), bytes);
  }
});
afterAll(async () => {
  await browser.close();
  await service.stop();
  await rm(received, { recursive: true });
});

async function servedBytes(file: SampleFile): Promise<Buffer> {
  const attachments = [{ name: file.name, data: dataUrl(file) }];
  const field = file.mediaType.startsWith("video/") ? "videos" : "images";
  const files = file.mediaType === "application/pdf" ? { attachments } : { [field]: [dataUrl(file)] };
  const body = { type: "bug", message: "Here.", ...files };
  const sent = await service.request("POST", "/api/v1/feedback/remote", { headers: cast.key, body });
  const path = `/api/v1/agent/feedback/${sent.field("id")}`;
  const { feedback } = Object((await service.request("GET", path, { headers: cast.agent })).body);
  const [url] = [
    ...feedback.images,
    ...feedback.videos,
    ...feedback.attachments.map((paper: { url: string }) => paper.url),
  ];
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

const exiftool = join(import.meta.dirname, "../../../node_modules/exiftool-vendored.pl/bin/exiftool");
const run = promisify(execFile);

/** The position that ExifTool reads, and the words that stand for a position in the inputs. */
async function placesIn(path: string): Promise<string[]> {
  const { stdout } = await run("perl", [exiftool, "-ee3", "-U", "-a", "-s", "-G1", path]);
  const lines = stdout.split("\n").filter((line) => !/^\[(System|ExifTool)\]/.test(line));
  return lines.filter((line) => /GPS|City|Location|Placetown|52\.5|13\.4/i.test(line));
}

/**
 * Returns how a browser draws a file: a picture, or a film after a fifth of a second. Undefined if it cannot draw it.
 */
const drawn = (file: SampleFile): Promise<string | undefined> =>
  page.evaluate(
    async ({ url, isFilm }) => {
      const shown = isFilm ? document.createElement("video") : new Image();
      const ready = new Promise<boolean>((resolve) => {
        shown.addEventListener("error", () => resolve(false));
        shown.addEventListener(isFilm ? "seeked" : "load", () => resolve(true));
      });
      shown.src = url;
      if (shown instanceof HTMLVideoElement) shown.currentTime = 0.2;
      if (!(await ready)) return undefined;
      const canvas = document.createElement("canvas");
      canvas.width = 64;
      canvas.height = 64;
      canvas.getContext("2d")?.drawImage(shown, 0, 0, 64, 64);
      return canvas.toDataURL();
    },
    { url: dataUrl(file), isFilm: file.mediaType.startsWith("video/") },
  );

describe("a file of another program that contains the place where it was taken", () => {
  it("exists for every kind of place", () => {
    expect(new Set(inputs.map(({ mediaType }) => mediaType))).toEqual(new Set(Object.values(mediaTypes)));
  });

  it.each(names)("contains its place when it is sent, and not when it is served: %s", async (name) => {
    expect(await placesIn(join(folder, name))).not.toEqual([]);
    expect(await placesIn(join(received, name))).toEqual([]);
    const bytes = served.get(name)?.bytes.toString("latin1") ?? "";
    expect(bytes.match(/Placetown|52\.52|13\.40/g)).toBeNull();
  });

  // The browser of the tests has no H.264.
  const shown = inputs.filter(
    ({ name }) => !/\.pdf$|\.mov$|^(phone|fragments|camera-track)\.mp4$/.test(name),
  );

  it.each(shown.map((file) => [file.name, file] as const))(
    "looks the same as before: %s",
    async (name, file) => {
      const before = await drawn(file);
      const after = served.get(name);
      expect(before).toBeDefined();
      expect(after && (await drawn(after))).toBe(before);
    },
  );
});
