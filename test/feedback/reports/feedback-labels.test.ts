import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as sample from "../../support/files/sample-files.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/feedback/remote";
const input = (name: string) => readFile(new URL(`../../inputs/${name}`, import.meta.url));

describe("the endpoint POST /api/v1/feedback/remote", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const submit = (more: object) =>
    service.request("POST", path, {
      headers: cast.key,
      body: { type: "bug", message: "It crashes.", ...more },
    });
  const send = (body: Buffer, contentType: string) =>
    service.request("POST", path, {
      headers: { ...cast.key, "content-type": contentType },
      body: new Uint8Array(body),
    });
  const threadOf = async (answer: Answer) => {
    expect(answer).toMatchObject({ status: 201 });
    return service.request("GET", `/api/v1/console/feedback/${answer.field("id")}`, { headers: cast.person });
  };
  const kindAt = async (url: string) => (await fetch(url)).headers.get("content-type");

  it.each([
    ["subject", 200, "feedback.subject"],
    ["name", 200, "sender.name"],
    ["source", 100, "feedback.source"],
  ])("accepts a text that is too long, and shortens it: %s to %d characters", async (field, most, place) => {
    for (const [given, kept] of [
      ["x".repeat(most), "x".repeat(most)],
      ["x".repeat(most + 1), "x".repeat(most)],
      [` ${"😀".repeat(5_000)}`, "😀".repeat(most)],
    ])
      expect((await threadOf(await submit({ [field]: given }))).field(place)).toBe(kept);
  });

  it("leaves out an e-mail address of more than 254 characters, and names it in the answer", async () => {
    const fitting = await submit({ email: "x".repeat(254) });
    expect(fitting.body).not.toHaveProperty("fieldsDropped");
    const answer = await submit({ email: "x".repeat(255) });
    expect(answer.body).toMatchObject({ fieldsDropped: ["email"] });
    expect((await threadOf(answer)).body).toMatchObject({ sender: { email: null } });
  });

  it.each([undefined, null, "", "  "])(
    "accepts %j as the name of an attachment, and gives it a name",
    async (name) => {
      const thread = await threadOf(
        await submit({ attachments: [{ name, data: sample.dataUrl(sample.pdf()) }] }),
      );
      expect(thread.field("feedback.attachments.0.name")).toBe("attachment.pdf");
    },
  );

  it("ignores the declared type of a file, because the bytes decide", async () => {
    const thread = await threadOf(await send(await input("api-png-called-jpeg.json"), "application/json"));
    expect(await kindAt(thread.field("feedback.images.0"))).toBe("image/png");
    const other = await threadOf(await send(await input("api-jpeg-called-png.json"), "application/json"));
    expect(await kindAt(other.field("feedback.images.0"))).toBe("image/jpeg");
  });

  it("accepts a file whose declared type is missing or unspecific", async () => {
    const body = await input("api-image-without-type.json");
    const thread = await threadOf(await send(body, "application/json"));
    for (const at of [0, 1, 2]) expect(await kindAt(thread.field(`feedback.images.${at}`))).toBe("image/png");
  });

  it("accepts a long parameter before the bytes of a file", async () => {
    const [, base64] = sample.dataUrl(sample.png()).split(",");
    const images = [`data:image/png;name=${"%C3%A9".repeat(120)}.png;base64,${base64}`];
    expect(await submit({ images })).toMatchObject({ status: 201 });
  });

  it.each([
    ["form-requests-feedback.multipart", "no type"],
    ["form-empty-type.multipart", "an empty type"],
    ["form-wide-type.multipart", "an unspecific type"],
  ])("accepts a part of a form whose type is missing or unspecific: %s has %s", async (name) => {
    const type = "multipart/form-data; boundary=innkeep-test-boundary";
    const thread = await threadOf(await send(await input(name), type));
    expect(await kindAt(thread.field("feedback.images.0"))).toBe("image/png");
  });

  it("accepts a PDF with other bytes before its header if the header begins within the first 1,024 bytes", async () => {
    const printed = await threadOf(
      await send(await input("api-pdf-after-printer-lines.json"), "application/json"),
    );
    expect(await kindAt(printed.field("feedback.attachments.1.url"))).toBe("application/pdf");
    const behind = (bytes: number) => {
      const file = sample.pdf();
      const moved = { ...file, bytes: Buffer.concat([Buffer.alloc(bytes, 32), file.bytes]) };
      return submit({ attachments: [{ name: "a.pdf", data: sample.dataUrl(moved) }] });
    };
    expect(await behind(1_023)).toMatchObject({ status: 201 });
    expect(await behind(1_024)).toMatchObject({ status: 400 });
  });

  it("accepts images[] and images[0] as names of the elements of a list", async () => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ type: "bug", message: "x" })) form.set(name, value);
    for (const name of ["images[]", "images[]", "images[0]"])
      form.append(name, new Blob([new Uint8Array(sample.png().bytes)]), "shot.png");
    const answer = await service.request("POST", path, { headers: cast.key, body: form });
    expect((await threadOf(answer)).body).toMatchObject({ feedback: { images: { length: 3 } } });
  });

  it("accepts [] as an empty map, as PHP writes it", async () => {
    expect((await threadOf(await submit({ metadata: [] }))).body).toMatchObject({
      feedback: { metadata: {} },
    });
    const form = new FormData();
    for (const [name, value] of Object.entries({ type: "bug", message: "x", metadata: "[]" }))
      form.set(name, value);
    expect(await service.request("POST", path, { headers: cast.key, body: form })).toMatchObject({
      status: 201,
    });
  });

  it.each([
    ["photo-iphone.heic", "HEIC, as iPhones store photographs: export it as JPEG"],
    ["photo-samsung.heic", "HEIC, as iPhones store photographs: export it as JPEG"],
    ["photo-called-jpeg.jpg", "HEIC, as iPhones store photographs: export it as JPEG"],
    ["picture.avif", "AVIF: export it as PNG or JPEG"],
  ])("refuses a photograph that no browser shows, and says what to do: %s", async (name, advice) => {
    const bytes = await input(name);
    const inJson = await submit({ images: [`data:image/heic;base64,${bytes.toString("base64")}`] });
    const form = new FormData();
    form.set("type", "bug");
    form.set("message", "It crashes.");
    form.set("images", new File([new Uint8Array(bytes)], name, { type: "image/jpeg" }));
    const inForm = await fetch(`${service.baseUrl}${path}`, {
      method: "POST",
      headers: cast.key,
      body: form,
    });
    expect([inJson.status, inForm.status]).toEqual([400, 400]);
    expect(inJson.field("error")).toContain(advice);
    expect(await inForm.json()).toMatchObject({ error: expect.stringContaining(advice) });
  });
});
