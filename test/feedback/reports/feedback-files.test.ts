import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import * as sample from "../../support/files/sample-files.ts";
import { faultyPaths, issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf, storedFiles } from "../../support/service/stored-content.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const { dataUrl } = sample;
const path = "/api/v1/feedback/remote";
const MB = 1_048_576;

const attached = (file: sample.SampleFile) => ({ name: file.name, data: dataUrl(file) });
const list = <Element>(count: number, element: Element) => Array.from({ length: count }, () => element);

const images = [sample.png, sample.jpeg, sample.webp, sample.gif].map(
  (build) => [build().mediaType, build] as const,
);
const videos = [sample.mp4, sample.webm, sample.mov].map((build) => [build().mediaType, build] as const);

describe("the endpoint POST /api/v1/feedback/remote for files", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    // On a busy machine, the sender of the largest report may be slower than a server accepts.
    service = await startService({
      budgets: { headMilliseconds: 250_000, bodyPatienceMilliseconds: 250_000 },
    });
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const submit = (files: object) =>
    service.request("POST", path, {
      headers: cast.key,
      body: { type: "bug", message: "It crashes.", ...files },
    });
  const threadOf = async (id: string) =>
    service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: cast.agent });
  const bytesAt = async (url: string) => Buffer.from(await (await fetch(url)).arrayBuffer());

  it.each(images)(
    "accepts images of the type %s and serves their bytes under {base_url}/uploads/",
    async (_, build) => {
      const thread = await threadOf((await submit({ images: [dataUrl(build())] })).field("id"));
      const url = thread.field("feedback.images.0");
      expect(url).toMatch(`${service.baseUrl}/uploads/`);
      expect(await bytesAt(url)).toEqual(build().bytes);
    },
  );

  it.each(videos)(
    "accepts videos of the type %s and serves their bytes under {base_url}/uploads/",
    async (_, build) => {
      const thread = await threadOf((await submit({ videos: [dataUrl(build())] })).field("id"));
      const url = thread.field("feedback.videos.0");
      expect(url).toMatch(`${service.baseUrl}/uploads/`);
      expect(await bytesAt(url)).toEqual(build().bytes);
    },
  );

  it("accepts PDFs, and returns their name, type and size", async () => {
    const thread = await threadOf((await submit({ attachments: [attached(sample.pdf(900))] })).field("id"));
    const url = thread.field("feedback.attachments.0.url");
    const element = { name: "report.pdf", url, mediaType: "application/pdf", size: 900 };
    expect(thread.body).toMatchObject({ feedback: { attachments: [element] } });
    expect(await bytesAt(url)).toEqual(sample.pdf(900).bytes);
  });

  it.each([
    ["/etc/passwd.pdf", "passwd.pdf"],
    ["..\\..\\boot.pdf", "boot.pdf"],
    ["a\u0000b\r\n\u202ec.pdf", "abc.pdf"],
    [`${"é".repeat(300)}.pdf`, `${"é".repeat(196)}.pdf`],
  ])(
    "removes path parts and control characters from the file name %j, and shortens it to 200 characters",
    async (name, kept) => {
      const { data } = attached(sample.pdf());
      const thread = await threadOf((await submit({ attachments: [{ name, data }] })).field("id"));
      expect(thread.field("feedback.attachments.0.name")).toBe(kept);
    },
  );

  it("accepts the maximum in one report: 3 images, 2 videos and 3 PDFs, each of the largest size", async () => {
    const answer = await submit({
      images: list(3, dataUrl(sample.jpeg(2 * MB))),
      videos: list(2, dataUrl(sample.mp4(10 * MB))),
      attachments: list(3, attached(sample.pdf(5 * MB))),
    });
    expect(answer.status).toBe(201);
    expect(await rowsOf(service, "uploads", cast.appId)).toBe(8);
  });

  it.each([
    ["4 images", { images: list(4, dataUrl(sample.png())) }, "images: must have at most 3 elements"],
    ["3 videos", { videos: list(3, dataUrl(sample.mp4())) }, "videos: must have at most 2 elements"],
    ["4 PDFs", { attachments: list(4, attached(sample.pdf())) }, "attachments: must have at most 3 elements"],
  ])("refuses %s", async (_, files, issue) => {
    expect(issuesOf(await submit(files))).toEqual([issue]);
  });

  it.each([
    ["image", "images", 2 * MB, sample.png],
    ["video", "videos", 10 * MB, sample.mp4],
    ["PDF", "attachments", 5 * MB, sample.pdf],
  ] as const)(
    "accepts a file of the kind %s at and below its limit, and not one byte above it",
    async (_, field, most, build) => {
      const files = (size: number) => [
        field === "attachments" ? attached(build(size)) : dataUrl(build(size)),
      ];
      const place = field === "attachments" ? "attachments.0.data" : `${field}.0`;
      expect(await submit({ [field]: files(most - 1) })).toMatchObject({ status: 201 });
      expect(await submit({ [field]: files(most) })).toMatchObject({ status: 201 });
      expect(issuesOf(await submit({ [field]: files(most + 1) }))).toEqual([
        `${place}: must be at most ${most} bytes`,
      ]);
    },
  );

  const png = dataUrl(sample.png());
  const labelled = (type: string, bytes: Buffer) => `data:${type};base64,${bytes.toString("base64")}`;
  const base64 = png.slice(png.indexOf(",") + 1);
  const ofNoKind = "must be one of these file types: image/png, image/jpeg, image/webp, image/gif";
  it.each([
    ["PDF bytes labelled image/png", labelled("image/png", sample.pdf().bytes), ofNoKind],
    ["HTML labelled image/png", labelled("image/png", Buffer.from("<html>")), ofNoKind],
    ["no bytes", labelled("image/png", Buffer.alloc(0)), ofNoKind],
    ["SVG", labelled("image/svg+xml", Buffer.from("<svg/>")), ofNoKind],
    ["a PDF", dataUrl(sample.pdf()), ofNoKind],
    ["bare base64", base64, /^must be a base64 data URL of image\/png/],
    ["an address", "https://example.org/shot.png", /^must be a base64 data URL of image\/png/],
    ["a data URL without base64", "data:image/png,%89PNG", /^must be a base64 data URL of image\/png/],
    ["empty text", "", /^must be a base64 data URL of image\/png/],
    ["base64 with a stray character", png.replace(base64.slice(20, 24), "!!!!"), "must be valid base64"],
    ["base64 with white space", png.replace(base64.slice(20, 24), "AA\nA"), "must be valid base64"],
    ["base64 cut off", `${png.replace(/=+$/, "")}A`.slice(0, -2), "must be valid base64"],
    ["a number", 7, /^must be a base64 data URL of image\/png/],
    [
      "an object that looks like a received file",
      { declaredType: "image/png", path: "/etc/passwd" },
      /^must be a/,
    ],
  ])("refuses %s, and names the field", async (_, image, message) => {
    const [issue, ...others] = issuesOf(await submit({ images: [png, image] }));
    expect(others).toEqual([]);
    expect(issue).toMatch(
      message instanceof RegExp
        ? new RegExp(message.source.replace("^", "^images\\.1: "))
        : `images.1: ${message}`,
    );
  });

  it.each([
    ["videos.0", { videos: [png] }],
    [
      "attachments.0.data",
      { attachments: [{ name: "a.pdf", data: labelled("application/pdf", sample.png().bytes) }] },
    ],
    ["attachments.0.data", { attachments: [{ name: "a.pdf", data: png }] }],
    ["attachments.0.data", { attachments: [{ name: "a.pdf" }] }],
    ["attachments.0.name", { attachments: [{ name: 7, data: dataUrl(sample.pdf()) }] }],
  ])("names the field %s if the fault is in it", async (place, files) => {
    expect(faultyPaths(await submit(files))).toEqual([place]);
  });

  it("stores nothing of a report with one bad file: no thread, no upload and no file", async () => {
    const before = await storedFiles(service);
    const unseen = dataUrl(sample.png(4_321));
    const answer = await submit({
      images: [unseen],
      videos: [unseen],
      attachments: [attached(sample.pdf(4_321))],
    });
    expect(faultyPaths(answer)).toEqual(["videos.0"]);
    expect(await rowsOf(service, "feedback", cast.appId)).toBe(0);
    expect(await rowsOf(service, "uploads", cast.appId)).toBe(0);
    expect(await storedFiles(service)).toEqual(before);
  });

  it("stores no file of a report that is refused for another reason", async () => {
    const before = await storedFiles(service);
    const off = await makeAppWithAgent(service, { feedbackEnabled: false });
    const body = { type: "bug", message: "x", images: [dataUrl(sample.gif(5_432))] };
    expect(await service.request("POST", path, { headers: off.key, body })).toMatchObject({ status: 403 });
    expect(await submit({ message: "", images: [dataUrl(sample.gif(5_432))] })).toMatchObject({
      status: 400,
    });
    expect(await storedFiles(service)).toEqual(before);
  });

  it("stores a file under two addresses if two reports contain it", async () => {
    const url = async () =>
      (await threadOf((await submit({ images: [png] })).field("id"))).field("feedback.images.0");
    expect(await url()).not.toBe(await url());
  });

  it("keeps the order of the files", async () => {
    const sizes = [901, 902, 903];
    const answer = await submit({ images: sizes.map((size) => dataUrl(sample.jpeg(size))) });
    const thread = await threadOf(answer.field("id"));
    const served = [0, 1, 2].map((at) => bytesAt(thread.field(`feedback.images.${at}`)));
    expect((await Promise.all(served)).map(({ length }) => length)).toEqual(sizes);
  });
});
