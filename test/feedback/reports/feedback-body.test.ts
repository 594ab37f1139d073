import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { dataUrl, jpeg } from "../../support/files/sample-files.ts";
import { connectRaw, headOf } from "../../support/network/raw-connection.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf, storedFiles } from "../../support/service/stored-content.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/feedback/remote";
const MB = 1_048_576;
const report = { type: "bug", message: "It crashes." };

describe("the body of POST /api/v1/feedback/remote", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
  });
  afterAll(() => service.stop());

  const send = (body: string | Uint8Array, type = "application/json") =>
    service.request("POST", path, { headers: { ...cast.key, "content-type": type }, body });
  const head = (headers: Record<string, string | number>) =>
    headOf("POST", path, { ...cast.key, "content-type": "application/json", ...headers });
  const nothingIsStored = async () => {
    expect(await rowsOf(service, "feedback", cast.appId)).toBe(0);
    expect(await storedFiles(service)).toEqual([]);
  };

  describe("that is refused", () => {
    it.each([
      ["not JSON", "type=bug"],
      ["JSON cut off", '{"type":"bug","message":"It cr'],
      ["JSON with text after it", `${JSON.stringify(report)}}`],
      ["two JSON values", `${JSON.stringify(report)}${JSON.stringify(report)}`],
      ["JSON with a comment", '{"type":"bug",/* why */"message":"x"}'],
      ["JSON with a trailing comma", '{"type":"bug","message":"x",}'],
      ["a bare line break in a string", '{"type":"bug","message":"a\nb"}'],
      ["a wrong escape", '{"type":"bug","message":"\\x41"}'],
      ["NaN", '{"type":"bug","message":"x","metadata":{"a":NaN}}'],
      ["the same key twice", '{"type":"bug","message":"x","message":"y"}'],
      ["a key named __proto__", '{"type":"bug","message":"x","more":{"__proto__":{"a":1}}}'],
      [
        "nesting that never closes",
        `{"type":"bug","message":"x","more":${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}}`,
      ],
      ["white space only", " \n "],
      ["nothing at all", ""],
    ])("is %s and gets 400 bad_request", async (_, body) => {
      const answer = await send(body);
      expect(answer).toMatchObject({ status: 400, body: { code: "bad_request" } });
      expect(issuesOf(answer)).toHaveLength(1);
      await nothingIsStored();
    });

    it.each([
      ["Latin-1", Buffer.from('{"type":"bug","message":"caf\xe9"}', "latin1")],
      ["UTF-16", Buffer.from(JSON.stringify(report), "utf16le")],
      ["a surrogate in UTF-8", Buffer.from('{"type":"bug","message":"\xed\xa0\x80"}', "latin1")],
      ["an overlong character", Buffer.from('{"type":"bug","message":"\xc0\xaf"}', "latin1")],
      ["compressed bytes", Buffer.from("1f8b0800000000000003ab56", "hex")],
    ])("is %s and gets 400 bad_request", async (_, body) => {
      expect(await send(body)).toMatchObject({ status: 400, body: { code: "bad_request" } });
      await nothingIsStored();
    });

    it.each([
      "text/plain",
      "text/json",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      "",
      "/",
      "json",
    ])("has the content type %j and gets 415 unsupported_media_type", async (type) => {
      const answer = await send(JSON.stringify(report), type);
      expect(answer).toMatchObject({ status: 415, body: { code: "unsupported_media_type" } });
      await nothingIsStored();
    });

    it("has no content type and gets 415 unsupported_media_type", async () => {
      const connection = await connectRaw(service.baseUrl);
      const body = JSON.stringify(report);
      connection.write(headOf("POST", path, { ...cast.key, "content-length": body.length }) + body);
      expect(await connection.read(/"code":"\w+"/)).toMatch(
        /^HTTP\/1.1 415 .*"code":"unsupported_media_type"/s,
      );
      await connection.cut();
    });

    it("declares more than 60 MiB and gets 413 payload_too_large before any byte of it is sent", async () => {
      const connection = await connectRaw(service.baseUrl);
      connection.write(head({ "content-length": 60 * MB + 1 }));
      expect(await connection.read(/payload_too_large/)).toMatch(
        /^HTTP\/1.1 413 .*"code":"payload_too_large"/s,
      );
      await connection.cut();
    });

    it("grows to more than 60 MiB and gets 413 payload_too_large", async () => {
      const connection = await connectRaw(service.baseUrl);
      connection.write(head({ "transfer-encoding": "chunked" }));
      const blanks = `${MB.toString(16)}\r\n${" ".repeat(MB)}\r\n`;
      const image = `{"images":["${dataUrl(jpeg())}`;
      connection.write(`${image.length.toString(16)}\r\n${image}\r\n`);
      for (let sent = 0; sent <= 60; sent++) connection.write(blanks);
      expect(await connection.read(/payload_too_large/)).toMatch(/^HTTP\/1.1 413 /);
      await connection.cut();
      await eventually(nothingIsStored);
    });
  });

  describe("that is incomplete", () => {
    it("because half of a small body is missing stores nothing", async () => {
      const connection = await connectRaw(service.baseUrl);
      const body = JSON.stringify(report);
      const logged = service.logged().length;
      connection.write(head({ "content-length": body.length }) + body.slice(0, -1));
      await connection.cut();
      await eventually(() => expect(service.logged().slice(logged)).toContain(path));
      await nothingIsStored();
    });

    const url = dataUrl(jpeg(MB));
    const form = (bytes: Buffer) =>
      Buffer.concat([
        Buffer.from('--b\r\nContent-Disposition: form-data; name="images"; filename="a.jpg"\r\n'),
        Buffer.from("Content-Type: image/jpeg\r\n\r\n"),
        bytes,
      ]);
    it.each([
      [
        "JSON",
        "application/json",
        Buffer.from(`{"type":"bug","message":"x","images":["${url}"]}`).subarray(0, MB),
      ],
      ["a form", "multipart/form-data; boundary=b", form(jpeg(MB).bytes)],
    ])(
      "because it ends in the middle of a file in %s stores no thread and no file",
      async (_, type, half) => {
        const connection = await connectRaw(service.baseUrl);
        connection.write(head({ "content-type": type, "content-length": 2 * MB }));
        connection.write(half);
        await eventually(async () => expect(await storedFiles(service)).toHaveLength(1));
        await connection.cut();
        await eventually(nothingIsStored);
      },
    );
  });

  describe("that is accepted", () => {
    it.each(["application/json", "application/json; charset=utf-8", "Application/JSON ;charset=UTF-8"])(
      "can have the content type %s",
      async (type) => {
        expect(await send(JSON.stringify(report), type)).toMatchObject({ status: 201 });
      },
    );

    it("can arrive in chunks of any size", async () => {
      const connection = await connectRaw(service.baseUrl);
      connection.write(head({ "transfer-encoding": "chunked", connection: "close" }));
      for (const byte of JSON.stringify(report)) connection.write(`1\r\n${byte}\r\n`);
      connection.write("0\r\n\r\n");
      expect(await connection.read()).toMatch(/^HTTP\/1.1 201 /);
    });

    it("can have exactly 60 MiB", async () => {
      const body = JSON.stringify({ ...report, images: [dataUrl(jpeg())], videos: ["x"] });
      const [start = "", end = ""] = body.split('"x"');
      const filler = "A".repeat(60 * MB - body.length);
      // A video of the wrong kind and size is a fault of a field, not of the body.
      const answer = await send(`${start}"x${filler}"${end}`);
      expect(answer).toMatchObject({ status: 400, body: { issues: [{ path: "videos.0" }] } });
    });
  });
});
