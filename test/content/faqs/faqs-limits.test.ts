import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { unknownId } from "../../support/service/endpoints.ts";
import { issuesOf } from "../../support/service/issues.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rowsOf } from "../../support/service/stored-content.ts";
import { type AppWithAgent, makeAppWithAgent } from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/faqs/remote";

describe("FAQ entries", () => {
  let service: Service;
  let cast: AppWithAgent;
  let id: string;
  beforeAll(async () => {
    service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
    cast = await makeAppWithAgent(service);
    id = (await create({})).field("id");
  });
  afterAll(() => service.stop());

  const create = (more: object) =>
    service.request("POST", path, { headers: cast.key, body: { question: "How?", answer: "So.", ...more } });
  const change = (body: object) => service.request("PATCH", `${path}/${id}`, { headers: cast.key, body });
  const both = async (body: object) => [await create(body), await change(body)] as const;

  describe.each([
    ["question", 500],
    ["answer", 20_000],
  ])("with the field %s", (field, most) => {
    it.each([1, most - 1, most])("can have %d characters in it", async (length) => {
      const [created, changed] = await both({ [field]: "x".repeat(length) });
      expect([created.status, changed.status]).toEqual([201, 200]);
    });

    it(`cannot have ${most + 1} characters in it`, async () => {
      for (const answer of await both({ [field]: "x".repeat(most + 1) })) {
        expect(issuesOf(answer)).toEqual([`${field}: must have at most ${most} characters`]);
      }
    });

    it("are limited by Unicode code points, counted after trimming", async () => {
      const [created, changed] = await both({ [field]: `\n ${"😀".repeat(most)} ` });
      expect(created).toMatchObject({ status: 201, body: { [field]: "😀".repeat(most) } });
      expect(changed).toMatchObject({ status: 200, body: { [field]: "😀".repeat(most) } });
    });

    it.each([
      ["", "must not be empty"],
      [" \n\u3000", "must not be empty"],
      ["a\0", "must not contain NUL characters or lone surrogates"],
      ["a\udfff", "must not contain NUL characters or lone surrogates"],
      [null, "must be a string"],
      [7, "must be a string"],
      [["How?"], "must be a string"],
    ])("cannot have %j in it", async (value, message) => {
      for (const answer of await both({ [field]: value })) {
        expect(issuesOf(answer)).toEqual([`${field}: ${message}`]);
      }
    });

    it("need it when they are created", async () => {
      expect(issuesOf(await create({ [field]: undefined }))).toEqual([`${field}: is missing`]);
    });
  });

  it.each([-2_147_483_648, -2_147_483_647, -1, 0, 1, 2_147_483_646, 2_147_483_647])(
    "can have the sortOrder %d",
    async (sortOrder) => {
      const [created, changed] = await both({ sortOrder });
      expect([created, changed]).toMatchObject([
        { status: 201, body: { sortOrder } },
        { status: 200, body: { sortOrder } },
      ]);
    },
  );

  it.each([
    [-2_147_483_649, "must be at least -2147483648"],
    [2_147_483_648, "must be at most 2147483647"],
    [1.5, "must be an integer"],
    ["1", "must be a number"],
    [true, "must be a number"],
    [[1], "must be a number"],
  ])("cannot have the sortOrder %j", async (sortOrder, message) => {
    for (const answer of await both({ sortOrder }))
      expect(issuesOf(answer)).toEqual([`sortOrder: ${message}`]);
  });

  it("cannot get the sortOrder null by a change", async () => {
    expect(issuesOf(await change({ sortOrder: null }))).toEqual(["sortOrder: must be a number"]);
  });

  it("cannot get a sortOrder that overflows to infinity", async () => {
    const headers = { ...cast.key, "content-type": "application/json" };
    const body = '{"question":"How?","answer":"So.","sortOrder":1e400}';
    expect(issuesOf(await service.request("POST", path, { headers, body }))).toHaveLength(1);
  });

  it("are refused with all faults at once", async () => {
    const body = { question: "", answer: "a\0", sortOrder: "first" };
    expect(issuesOf(await create(body))).toHaveLength(3);
    const answer = await service.request("PATCH", `${path}/${unknownId}`, { headers: cast.key, body });
    expect(issuesOf(answer).map((issue) => issue.split(":", 1)[0])).toEqual([
      "answer",
      "question",
      "sortOrder",
    ]);
  });

  it("are neither stored nor changed by a refused request", async () => {
    const rows = await rowsOf(service, "faqs", cast.appId);
    const before = await service.request("GET", path, { headers: cast.key });
    await both({ question: "A good one?", answer: "" });
    expect(await rowsOf(service, "faqs", cast.appId)).toBe(rows);
    expect((await service.request("GET", path, { headers: cast.key })).text).toBe(before.text);
  });
});
