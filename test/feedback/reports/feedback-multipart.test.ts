import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import * as sample from "../../support/files/sample-files.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf, storedFiles } from "../../support/service/stored-content.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/feedback/remote";

type Part = string | sample.SampleFile;

/** A form with these fields; a list becomes several parts with one name. */
function formOf(fields: Record<string, Part | Part[]>) {
  const form = new FormData();
  const all: typeof fields = { type: "bug", message: "It crashes.", ...fields };
  const parts = Object.entries(all).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((part) => ({ name, part })),
  );
  for (const { name, part } of parts) {
    if (typeof part === "string") form.append(name, part);
    else form.append(name, new Blob([new Uint8Array(part.bytes)], { type: part.mediaType }), part.name);
  }
  return form;
}

describe("the endpoint POST /api/v1/feedback/remote with multipart/form-data", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
  });
  beforeEach(async () => {
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const submit = (body: FormData, headers: object = {}) =>
    service.request("POST", path, { headers: { ...cast.key, ...headers }, body });
  const sendRaw = (body: string, boundary = "; boundary=b") =>
    service.request("POST", path, {
      headers: { ...cast.key, "content-type": `multipart/form-data${boundary}` },
      body,
    });
  const threadOf = async (id: string) =>
    service.request("GET", `/api/v1/console/feedback/${id}`, { headers: cast.person });

  it("accepts the same fields as with JSON, and metadata as JSON text", async () => {
    const sender = { name: "Ada", email: "ada@example.org" };
    const texts = { subject: "Crash", source: "web" };
    const form = formOf({ ...texts, ...sender, metadata: '{"build":{"number":42}}' });
    const thread = await threadOf((await submit(form)).field("id"));
    const feedback = {
      ...texts,
      category: "bug",
      message: "It crashes.",
      metadata: { build: { number: 42 } },
    };
    expect(thread.body).toMatchObject({ feedback, sender });
  });

  it("accepts the text of a field as a file, with the same limits and the same names of dropped parts", async () => {
    const asFile = (text: string) => ({
      name: "blob",
      mediaType: "application/json",
      bytes: Buffer.from(text),
    });
    const form = new FormData();
    const fields = { type: "bug", message: "It crashes.", email: "x".repeat(255), name: "y".repeat(201) };
    for (const [name, text] of Object.entries({ ...fields, metadata: '{"a":[[[[[1]]]]],"b":2}' }))
      form.append(name, new Blob([text], { type: "application/json" }), "blob");
    const answer = await submit(form);
    expect(answer.body).toMatchObject({ metadataDropped: ["metadata.a"], fieldsDropped: ["email"] });
    const thread = await threadOf(answer.field("id"));
    expect(thread.body).toMatchObject({
      feedback: { category: "bug", message: "It crashes.", metadata: { b: 2 } },
      sender: { name: "y".repeat(200), email: null },
    });
    expect(issuesOf(await submit(formOf({ metadata: asFile("[1]") })))).toEqual([
      "metadata: must be an object",
    ]);
  });

  it("accepts files as parts named images, videos and attachments, in their order", async () => {
    const form = formOf({
      images: [sample.png(), sample.webp(900)],
      videos: [sample.mov()],
      attachments: [sample.pdf(), { ...sample.pdf(), name: "../log.pdf" }],
    });
    const { body } = await threadOf((await submit(form)).field("id"));
    const [first, second] = [{ name: "report.pdf", size: sample.pdf().bytes.length }, { name: "log.pdf" }];
    const anyUrl = expect.stringContaining(`${service.baseUrl}/uploads/`);
    expect(body).toMatchObject({
      feedback: { images: [anyUrl, anyUrl], videos: [anyUrl], attachments: [first, second] },
    });
  });

  it("serves exactly the bytes of the part", async () => {
    const thread = await threadOf((await submit(formOf({ images: sample.gif(70_000) }))).field("id"));
    const served = await (await fetch(thread.field("feedback.images.0"))).arrayBuffer();
    expect(Buffer.from(served)).toEqual(sample.gif(70_000).bytes);
  });

  it("treats blank fields and empty file inputs as omitted", async () => {
    const empty = { name: "", mediaType: "application/octet-stream", bytes: Buffer.alloc(0) };
    const blank = { subject: " ", email: "", metadata: "", dedupeKey: "", images: empty, attachments: empty };
    const thread = await threadOf((await submit(formOf(blank))).field("id"));
    expect(thread.body).toMatchObject({
      feedback: { subject: "It crashes.", metadata: {}, images: [], attachments: [] },
      sender: { email: null },
    });
  });

  it("ignores unknown fields and files", async () => {
    const before = await storedFiles(service);
    expect(await submit(formOf({ foo: "bar", screenshots: sample.png(777) }))).toMatchObject({ status: 201 });
    expect(await storedFiles(service)).toEqual(before);
  });

  const png = sample.png();
  it.each([
    ["a missing message", { message: "" }, "message: must not be empty"],
    ["metadata that is not JSON", { metadata: "{build" }, "metadata: must be an object"],
    ["metadata that is a list", { metadata: "[1]" }, "metadata: must be an object"],
    ["4 images", { images: [png, png, png, png] }, "images: must have at most 3 elements"],
    ["one byte too many", { images: sample.png(2_097_153) }, "images.0: must be at most 2097152 bytes"],
    [
      "a file without a type whose bytes are of no accepted kind",
      { attachments: { ...png, mediaType: "" } },
      "attachments.0.data: must be one of these file types: application/pdf",
    ],
    [
      "text in place of a file",
      { images: "shot.png" },
      /^images\.0: must be one of these file types: image\/png/,
    ],
  ])("refuses %s as it does with JSON", async (_, fields, issue) => {
    const [found, ...others] = issuesOf(await submit(formOf(fields)));
    expect(others).toEqual([]);
    expect(found).toMatch(issue);
    expect(await rowsOf(service, "feedback", cast.appId)).toBe(0);
  });

  it.each(["", "application/octet-stream", "text/plain", "application/*", "image/png"])(
    "detects the type of a file that is declared as '%s' only by its bytes",
    async (mediaType) => {
      const fields = { attachments: { ...sample.pdf(), mediaType } };
      expect(await submit(formOf(fields))).toMatchObject({ status: 201 });
    },
  );

  it("accepts files of exactly the largest size", async () => {
    const largest = { images: sample.png(2_097_152), attachments: sample.pdf(5_242_880) };
    expect(await submit(formOf(largest))).toMatchObject({ status: 201 });
  });

  const part = (name: string, text: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const whole = `${part("type", "bug")}${part("message", "x")}`;
  it.each([
    ["no boundary", `${whole}--b--\r\n`, ""],
    ["another boundary than declared", `${whole}--b--\r\n`, "; boundary=c"],
    ["no end", whole, "; boundary=b"],
    ["nothing", "", "; boundary=b"],
    ["the same field twice", `${whole}${part("message", "y")}--b--\r\n`, "; boundary=b"],
    [
      "a part without a name",
      `${whole}--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b--\r\n`,
      "; boundary=b",
    ],
    ["a part named __proto__", `${whole}${part("__proto__", "x")}--b--\r\n`, "; boundary=b"],
  ])("refuses a form with %s with 400 bad_request", async (_, body, boundary) => {
    expect(await sendRaw(body, boundary)).toMatchObject({ status: 400, body: { code: "bad_request" } });
    expect(await rowsOf(service, "feedback", cast.appId)).toBe(0);
  });

  it("refuses more than 4 MiB of text with 413 payload_too_large", async () => {
    const answer = await submit(formOf({ message: "x".repeat(limits.jsonWithMetadata + 1) }));
    expect(answer).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
  });

  it("stores no file of a form that it refuses", async () => {
    const before = await storedFiles(service);
    await submit(formOf({ images: sample.png(8_765), type: "praise" }));
    await sendRaw(
      `${whole}--b\r\nContent-Disposition: form-data; name="images"; filename="a.png"\r\n\r\nabc`,
    );
    expect(await storedFiles(service)).toEqual(before);
  });

  it("returns the stored answer for the same Idempotency-Key and the same content with another boundary", async () => {
    const key = { "idempotency-key": "one-form" };
    const first = await submit(formOf({ images: png }), key);
    const again = await submit(formOf({ images: png }), key);
    expect(again.headers.get("idempotent-replay")).toBe("true");
    expect(again.text).toBe(first.text);
  });
});
