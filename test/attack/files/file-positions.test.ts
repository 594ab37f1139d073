import { inflateSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type FileWithPosition,
  filesWithPositions,
  positionNumbers,
  positionText,
} from "../../support/files/files-with-positions.ts";
import {
  dataUrl,
  gif,
  jpeg,
  mov,
  mp4,
  pdf,
  png,
  type SampleFile,
  webm,
  webp,
} from "../../support/files/sample-files.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

let service: Service;
let cast: AppWithAgent;
beforeAll(async () => {
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
  cast = await makeAppWithAgent(service);
});
afterAll(() => service.stop());

const send = (file: SampleFile) => {
  const attachments = [{ name: file.name, data: dataUrl(file) }];
  const field = file.mediaType.startsWith("video/") ? "videos" : "images";
  const files = file.mediaType === "application/pdf" ? { attachments } : { [field]: [dataUrl(file)] };
  const body = { type: "bug", message: "Here.", ...files };
  return service.request("POST", "/api/v1/feedback/remote", { headers: cast.key, body });
};

/** The bytes of a file as they are served. */
async function served(file: SampleFile): Promise<Buffer> {
  const id = (await send(file)).field("id");
  const path = `/api/v1/agent/feedback/${id}`;
  const { feedback } = Object((await service.request("GET", path, { headers: cast.agent })).body);
  const [url] = [
    ...feedback.images,
    ...feedback.videos,
    ...feedback.attachments.map((paper: { url: string }) => paper.url),
  ];
  return Buffer.from(await (await fetch(url)).arrayBuffer());
}

describe("a file that contains the place where it was taken", () => {
  const files = filesWithPositions().map((file, at) => [`${at}: ${file.mediaType}`, file] as const);

  it.each(files)("is served without the place, and otherwise unchanged: %s", async (_, file) => {
    expect(saysPlace(file)).toBe(true);
    const bytes = await served(file);
    expect(saysPlace({ bytes })).toBe(false);
    const { from, to } = file.place;
    expect(bytes).toHaveLength(file.bytes.length);
    expect(bytes.subarray(0, from)).toEqual(file.bytes.subarray(0, from));
    expect(bytes.subarray(to)).toEqual(file.bytes.subarray(to));
    if (file.orientation !== undefined) expect(orientationIn(bytes, file)).toBe(file.orientation);
  });

  it.each([png, jpeg, webp, gif, mp4, mov, webm, pdf])(
    "is not changed if it contains only what is needed to show it",
    async (build) => {
      const file = build(build === gif ? 3_000 : 2_000);
      expect(await served(file)).toEqual(file.bytes);
    },
  );
});

describe("a file with the extension of another type", () => {
  it("is downloaded with the extension of its own type", async () => {
    const attachments = [{ name: "../x.html", data: dataUrl(pdf()) }];
    const body = { type: "bug", message: "Here.", attachments };
    const sent = await service.request("POST", "/api/v1/feedback/remote", { headers: cast.key, body });
    const path = `/api/v1/agent/feedback/${sent.field("id")}`;
    const { feedback } = Object((await service.request("GET", path, { headers: cast.agent })).body);
    expect(feedback.attachments).toMatchObject([{ name: "x.pdf" }]);
    const { headers } = await fetch(feedback.attachments[0].url);
    expect(headers.get("content-disposition")).toBe('attachment; filename="x.pdf"');
  });
});

describe("an image without a complete header", () => {
  const heads = [png, jpeg, webp, gif].flatMap((build) => {
    const { bytes, ...file } = build();
    const whole = { "image/png": 33, "image/jpeg": bytes.length - 60, "image/webp": 30, "image/gif": 13 }[
      file.mediaType
    ];
    return [3, 6, 8, 12, (whole ?? 0) - 1].map((length) => ({ ...file, bytes: bytes.subarray(0, length) }));
  });

  it.each(heads.map((file) => [file.mediaType, file.bytes.length, file] as const))(
    "of the type %s is refused if it has only its first %i bytes",
    async (_, __, file) => {
      const answer = await send(file);
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: "images.0" }] } });
    },
  );

  it("is refused if its dimensions are too large for readers", async () => {
    const { bytes, ...file } = png();
    bytes.writeUInt32BE(60_000, 16);
    bytes.writeUInt32BE(60_000, 20);
    expect(await send({ ...file, bytes })).toMatchObject({ status: 400 });
  });
});

/** Whether the bytes contain the position: as numbers, as text in either encoding, in digits, or compressed. */
function saysPlace({ bytes }: Pick<SampleFile, "bytes">): boolean {
  const texts = [bytes, unpacked(bytes)].map((part) => part.toString("latin1").replaceAll("\0", ""));
  if (texts.some((text) => text.includes(positionText))) return true;
  const numbers = [positionNumbers(true), positionNumbers(false)];
  return numbers.some((number) => bytes.includes(number) || bytes.includes(number.toString("hex")));
}

/** The content of the first compressed text in a PNG. */
function unpacked(bytes: Buffer): Buffer {
  const at = bytes.indexOf("TXt");
  const from = at === -1 ? -1 : bytes.indexOf(Buffer.from([0x78, 0x9c]), at);
  try {
    return from === -1 ? Buffer.alloc(0) : inflateSync(bytes.subarray(from));
  } catch {
    return Buffer.alloc(0);
  }
}

/** The value of tag 0x0112 within the block. */
function orientationIn(bytes: Buffer, { place }: FileWithPosition): number {
  const block = bytes.subarray(place.from, place.to);
  const little = block.indexOf(Buffer.from("120103000100", "hex"));
  if (little !== -1) return block.readUInt16LE(little + 8);
  return block.readUInt16BE(block.indexOf(Buffer.from("011200030000", "hex")) + 8);
}
