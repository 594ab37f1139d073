import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { limits } from "../../../src/contract/limits.ts";
import { faultyPaths, issuesOf } from "../../support/service/issues.ts";
import type { Answer } from "../../support/service/request.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf } from "../../support/service/stored-content.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/feedback/remote";

const texts = [
  ["message", 10_000],
  ["dedupeKey", 200],
] as const;

const nested = (levels: number): object => (levels === 1 ? { at: "the bottom" } : { in: nested(levels - 1) });
const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key${at}`, at]));
/** Metadata whose JSON has this number of bytes. Its characters have two bytes each. */
const bytes = (size: number) => ({ a: "é".repeat((size - 8) / 2) });

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

  const submitText = (body: string) =>
    service.request("POST", path, { headers: { ...cast.key, "content-type": "application/json" }, body });
  const metadataOf = async (answer: Answer) => {
    const thread = await service.request("GET", `/api/v1/agent/feedback/${answer.field("id")}`, {
      headers: cast.agent,
    });
    return Object(thread.body).feedback.metadata;
  };

  const labelOf = async (answer: Answer, field: string) => {
    const address = `/api/v1/console/apps/${cast.appId}/feedback`;
    const { body } = await service.request("GET", address, { headers: cast.person });
    const [thread] = Object(body).items;
    expect(thread.id).toBe(answer.field("id"));
    const { subject, source, senderName, senderEmail } = thread;
    return Object({ subject, source, name: senderName, email: senderEmail })[field];
  };

  describe.each(texts)("accepts a text in the field %s", (field, most) => {
    it("of one character up to its limit, and not of one character more", async () => {
      for (const length of [1, most - 1, most])
        expect(await submit({ [field]: "x".repeat(length) })).toMatchObject({ status: 201 });
      const answer = await submit({ [field]: "x".repeat(most + 1) });
      expect(issuesOf(answer)).toEqual([`${field}: must have at most ${most} characters`]);
    });

    it("up to its limit in Unicode code points, counted after trimming", async () => {
      expect(await submit({ [field]: "😀".repeat(most) })).toMatchObject({ status: 201 });
      expect(faultyPaths(await submit({ [field]: "😀".repeat(most + 1) }))).toEqual([field]);
      expect(await submit({ [field]: ` \n${"x".repeat(most)}\t ` })).toMatchObject({ status: 201 });
    });
  });

  describe.each(["message", "dedupeKey"])("refuses in the field %s", (field) => {
    it("a text with NUL or a lone surrogate", async () => {
      const issue = `${field}: must not contain NUL characters or lone surrogates`;
      for (const text of ["a\0b", "\0", "a\ud800b", "\udc00\ud800"])
        expect(issuesOf(await submit({ [field]: text })), JSON.stringify(text)).toEqual([issue]);
    });
  });

  it.each(["subject", "name", "source", "email"])(
    "cleans the label %s, and does not refuse it",
    async (field) => {
      for (const [given, kept] of [
        ["Jo\ud83d", "Jo\ufffd"],
        ["\udc00a", "\ufffda"],
        ["Jo\0 \0", "Jo"],
      ])
        expect(await labelOf(await submit({ [field]: given }), field)).toBe(kept);
    },
  );

  describe.each(["message", "subject", "name", "email", "source", "dedupeKey"])(
    "refuses in the field %s",
    (field) => {
      it("every value that is no text", async () => {
        for (const value of [7, true, ["x"], { text: "x" }])
          expect(issuesOf(await submit({ [field]: value })), JSON.stringify(value)).toEqual([
            `${field}: must be a string`,
          ]);
      });
    },
  );

  it.each([
    ["a missing type", { type: undefined }, "type"],
    ["type: null", { type: null }, "type"],
    ["another type", { type: "praise" }, "type"],
    ["a type in capitals", { type: "BUG" }, "type"],
    ["a type with spaces around it", { type: " bug " }, "type"],
    ["a list of types", { type: ["bug"] }, "type"],
    ["a missing message", { message: undefined }, "message"],
    ["message: null", { message: null }, "message"],
    ["an empty message", { message: "" }, "message"],
    ["a blank message", { message: " \n\t\u2003" }, "message"],
  ])("refuses %s with 400, and names the field", async (_, more, field) => {
    expect(faultyPaths(await submit(more))).toEqual([field]);
  });

  const huge = "x".repeat(limits.jsonWithMetadata);

  it("drops a text of more than 4 MiB in its metadata, and names it", async () => {
    const answer = await submit({ metadata: { a: 1, log: { lines: huge }, b: 2 }, more: [huge] });
    expect(answer).toMatchObject({ status: 201, body: { metadataDropped: ["metadata.log"] } });
    expect(await metadataOf(answer)).toEqual({ a: 1, b: 2 });
  });

  it("drops an e-mail text of more than 4 MiB, and names it", async () => {
    expect(await submit({ email: huge })).toMatchObject({ status: 201, body: { fieldsDropped: ["email"] } });
  });

  it.each([
    ["subject", 200],
    ["name", 200],
    ["source", 100],
  ])("shortens a text of more than 4 MiB in the field %s", async (field, most) => {
    expect(await labelOf(await submit({ [field]: `Ada ${huge}` }), field)).toBe(`Ada ${huge}`.slice(0, most));
  });

  it("refuses a message of more than 4 MiB", async () => {
    const answer = await submit({ message: huge });
    expect(issuesOf(answer)).toEqual(["message: must have at most 10000 characters"]);
  });

  it("treats bodies as different that differ only at the end of a very long text", async () => {
    const headers = { ...cast.key, "idempotency-key": "huge" };
    const send = (end: string) => {
      const body = { type: "bug", message: "x", metadata: { log: `${huge}${end}` } };
      return service.request("POST", path, { headers, body });
    };
    const first = await send("1");
    expect(await send("1")).toMatchObject({ status: 201, body: first.body });
    expect(await send("2")).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
  });

  it("refuses a body with more than 4 MiB of other values with 413, and says what to do", async () => {
    const answer = await submit({ metadata: { log: Array(500_000).fill("0123456") } });
    expect(answer).toMatchObject({ status: 413, body: { code: "payload_too_large" } });
    expect(answer.field("error")).toContain("Send less text or metadata.");
  });

  it.each([
    ["no key", {}],
    ["50 keys", keys(50)],
    ["16,384 bytes of JSON", bytes(16_384)],
    ["5 levels", nested(5)],
    ["a list on the fifth level", { a: { b: { c: { d: ["e"] } } } }],
  ])("keeps metadata with %s unchanged", async (_, metadata) => {
    const answer = await submit({ metadata });
    expect(answer).toMatchObject({ status: 201 });
    expect(answer.body).not.toHaveProperty("metadataDropped");
    expect(await metadataOf(answer)).toEqual(metadata);
  });

  it.each([
    ["51 keys", keys(51), keys(50), ["metadata.key50"]],
    ["over 16,384 bytes of JSON", { ...bytes(16_386), b: 1 }, { b: 1 }, ["metadata.a"]],
    ["a list of 400,000 numbers", { a: 1, b: Array(400_000).fill(0) }, { a: 1 }, ["metadata.b"]],
    ["6 levels", { b: 1, ...nested(6) }, { b: 1 }, ["metadata.in"]],
    ["40 levels", { b: 1, ...nested(40) }, { b: 1 }, ["metadata.in"]],
    ["lists on the sixth level", { a: { b: { c: { d: [["e"]] } } }, f: 1 }, { f: 1 }, ["metadata.a"]],
  ])(
    "drops whole entries of metadata with %s, and names them",
    async (_, metadata, kept, metadataDropped) => {
      const answer = await submit({ metadata });
      expect(answer).toMatchObject({ status: 201, body: { metadataDropped } });
      expect(await metadataOf(answer)).toEqual(kept);
    },
  );

  it("shows the team the dropped entries with the reasons, and does not show them to agents", async () => {
    const metadata = { ...keys(48), ...nested(6), log: "x".repeat(17_000), a: 1, b: 2, late: 3 };
    const answer = await submit({ metadata, dedupeKey: "dropped" });
    const id = answer.field("id");
    const dropped = [
      { name: "in", reason: "depth" },
      { name: "log", reason: "size" },
      { name: "late", reason: "count" },
    ];
    const read = async () =>
      Object((await service.request("GET", `/api/v1/console/feedback/${id}`, { headers: cast.person })).body);
    expect((await read()).feedback.metadataDropped).toEqual(dropped);
    await submit({ dedupeKey: "dropped", metadata: nested(6) });
    await submit({ dedupeKey: "dropped", metadata: { build: 1 } });
    const [deep, whole] = (await read()).messages;
    expect(deep.metadataDropped).toEqual([{ name: "in", reason: "depth" }]);
    expect(whole).not.toHaveProperty("metadataDropped");
    const { body } = await service.request("GET", `/api/v1/agent/feedback/${id}`, { headers: cast.agent });
    expect(JSON.stringify(body)).not.toContain("metadataDropped");
  });

  it("names at most 20 dropped entries", async () => {
    const { body } = await submit({ metadata: keys(80) });
    expect(body).toMatchObject({
      metadataDropped: { length: 20, 0: "metadata.key50", 19: "metadata.key69" },
    });
  });

  it("keeps the last value of a key that comes twice in metadata", async () => {
    const metadata = '{"a":1,"b":{"c":1,"c":2},"a":3}';
    const answer = await submitText(`{"type":"bug","message":"x","metadata":${metadata}}`);
    expect(answer.status).toBe(201);
    expect(await metadataOf(answer)).toEqual({ a: 3, b: { c: 2 } });
  });

  it("drops an entry of metadata that is larger than most requests may be", async () => {
    const answer = await submit({ metadata: { a: 1, log: "x".repeat(2 * 1_048_576) } });
    expect(answer).toMatchObject({ status: 201, body: { metadataDropped: ["metadata.log"] } });
    expect(await metadataOf(answer)).toEqual({ a: 1 });
  });

  it("drops metadata with very deep nesting", async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    const answer = await submitText(`{"type":"bug","message":"x","metadata":{"b":1,"deep":${deep}}}`);
    expect(answer).toMatchObject({ status: 201, body: { metadataDropped: ["metadata.deep"] } });
    expect(await metadataOf(answer)).toEqual({ b: 1 });
  });

  it.each([
    ["a key named __proto__", '{"__proto__":{"a":1},"b":2}', '{"__proto__":{"a":1},"b":2}'],
    ["a number beyond a double", '{"a":1e400,"b":[-1e400]}', '{"a":"1e400","b":["-1e400"]}'],
    ["a large integer", '{"a":12345678901234567890}', '{"a":"12345678901234567890"}'],
    ["more digits than a double", '{"a":3.14159265358979323846}', '{"a":"3.14159265358979323846"}'],
    ["ordinary numbers", '{"a":[0.1,1.50,1e3,9007199254740991]}', '{"a":[0.1,1.5,1000,9007199254740991]}'],
    ["a lone surrogate", '{"a\\ud800":["b\\udc00"]}', '{"a\ufffd":["b\ufffd"]}'],
    ["NUL", '{"a":"b\\u0000"}', '{"a":"b\\u0000"}'],
  ])("keeps metadata with %s", async (_, metadata, kept) => {
    const json = await submitText(`{"type":"bug","message":"x","metadata":${metadata}}`);
    const form = new FormData();
    for (const [name, value] of Object.entries({ type: "bug", message: "x", metadata }))
      form.set(name, value);
    const multipart = await service.request("POST", path, { headers: cast.key, body: form });
    for (const answer of [json, multipart]) {
      expect(answer).toMatchObject({ status: 201 });
      expect(JSON.stringify(await metadataOf(answer))).toBe(kept);
    }
  });

  it("treats bodies as different that differ only in a dropped entry", async () => {
    const headers = { ...cast.key, "idempotency-key": "deep" };
    const send = (at: unknown) => {
      const body = { type: "bug", message: "x", metadata: { at: [[[[[[at]]]]]] } };
      return service.request("POST", path, { headers, body });
    };
    const first = await send(1);
    expect(await send(1)).toMatchObject({ status: 201, body: first.body });
    expect(await send(2)).toMatchObject({ status: 422, body: { code: "idempotency_mismatch" } });
  });

  it.each([["text"], [7], [["key", "value"]], [false]])(
    "does not accept %j as metadata",
    async (metadata) => {
      expect(issuesOf(await submit({ metadata }))).toEqual(["metadata: must be an object"]);
    },
  );

  it.each(["images", "videos", "attachments"])("accepts only a list as %s", async (field) => {
    expect(issuesOf(await submit({ [field]: { 0: "x" } }))).toEqual([`${field}: must be an array`]);
    expect(issuesOf(await submit({ [field]: "x" }))).toEqual([`${field}: must be an array`]);
    expect(issuesOf(await submit({ [field]: "abcdef" }))).toEqual([`${field}: must be an array`]);
  });

  it.each([
    ["a text", "x", "attachments.0: must be an object"],
    ["null", null, "attachments.0: must be an object"],
  ])("does not accept an attachment that is %s", async (_, attachment, issue) => {
    expect(issuesOf(await submit({ attachments: [attachment] }))).toEqual([issue]);
  });

  it("names all faults of a body at once", async () => {
    const faulty = {
      type: "praise",
      message: "",
      email: 7,
      name: 7,
      subject: 7,
      metadata: [1],
      source: 7,
      dedupeKey: {},
      images: ["no data URL"],
      videos: ["no data URL"],
      attachments: [{ name: 7, data: "no data URL" }, {}],
    };
    expect(faultyPaths(await submit(faulty))).toEqual(
      [
        ...["type", "message", "email", "name", "subject", "metadata", "source", "dedupeKey"],
        ...["images.0", "videos.0"],
        ...["attachments.0.name", "attachments.0.data", "attachments.1.data"],
      ].sort(),
    );
  });

  it("names two faults of one field separately", async () => {
    expect(issuesOf(await submit({ dedupeKey: `\0${"x".repeat(200)}` }))).toEqual([
      "dedupeKey: must have at most 200 characters",
      "dedupeKey: must not contain NUL characters or lone surrogates",
    ]);
  });

  it.each([["null"], ["[]"], ['"text"'], ["7"]])("refuses a body that is %s", async (body) => {
    const headers = { ...cast.key, "content-type": "application/json" };
    const answer = await service.request("POST", path, { headers, body });
    expect(issuesOf(answer)).toEqual([": must be an object"]);
  });

  it("stores nothing of a refused report", async () => {
    const fresh = await makeAppWithAgent(service);
    await service.request("POST", path, { headers: fresh.key, body: { type: "bug", message: "" } });
    expect(await rowsOf(service, "feedback", fresh.appId)).toBe(0);
  });
});
