import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Service, startService } from "../../support/service/service.ts";
import {
  type AppWithAgent,
  makeAppWithAgent,
  submitFeedback,
} from "../../support/worlds/app-with-owner-and-agent.ts";

const path = "/api/v1/feedback/remote";
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe("POST /api/v1/feedback/remote", () => {
  let service: Service;
  let cast: AppWithAgent;
  beforeAll(async () => {
    service = await startService();
    cast = await makeAppWithAgent(service, { name: "Orbit" });
  });
  afterAll(() => service.stop());

  const submit = (body: object, headers: Record<string, string> = cast.key) =>
    service.request("POST", path, { headers, body });
  const threadOf = async (id: string) =>
    (await service.request("GET", `/api/v1/console/feedback/${id}`, { headers: cast.person })).body;
  const stored = async (more: object) => threadOf(await submitFeedback(service, cast, more));

  it("stores feedback and answers 201 with success, its id and its console link", async () => {
    const answer = await submit({ type: "bug", message: "It crashes." });
    expect(answer.status).toBe(201);
    expect(answer.field("id")).toMatch(uuid);
    const consoleUrl = `${service.baseUrl}/console/feedback/${cast.appId}/${answer.field("id")}`;
    expect(answer.body).toEqual({
      ...{ success: true, id: answer.field("id"), consoleUrl },
      statusUrl: expect.stringMatching(new RegExp(`^${service.baseUrl}/p/t/[\\w-]{50}$`)),
    });
  });

  it.each(["bug", "feature", "question", "general"])(
    "accepts the type %s, which becomes the category",
    async (type) => {
      expect(await stored({ type })).toMatchObject({ feedback: { category: type } });
    },
  );

  it("keeps every field that was sent", async () => {
    const feedback = {
      subject: "Crash on export",
      message: "First line.\n\nSecond line, with “quotes”, <tags> & 😀.",
      source: "ios",
      metadata: { build: 42, nested: { list: [1, "two", null, true, { deep: 1.5 }] }, "": "empty key" },
    };
    const sender = { name: "Ada", email: "ada@example.org" };
    expect(await stored({ ...feedback, ...sender })).toMatchObject({ sender, feedback });
  });

  it("stores feedback as an open thread of the key's app with one occurrence", async () => {
    expect(await stored({})).toMatchObject({
      app: { id: cast.appId, name: "Orbit" },
      feedback: { status: "open", occurrences: 1, githubIssueUrl: null },
      messages: [],
      latestProposal: null,
    });
  });

  it("leaves fields empty that were not sent", async () => {
    expect(await stored({})).toMatchObject({
      feedback: { source: null, metadata: {}, images: [], videos: [], attachments: [] },
      sender: { name: null, email: null },
    });
  });

  it.each(["email", "name", "subject", "source", "dedupeKey"])(
    "treats %s as omitted if it is null, empty or blank",
    async (field) => {
      for (const blank of [null, "", " \n\t\u00a0"])
        expect(await stored({ [field]: blank }), JSON.stringify(blank)).toMatchObject({
          feedback: { subject: "It crashes.", source: null, occurrences: 1 },
          sender: { name: null, email: null },
        });
    },
  );

  it.each(["metadata", "images", "videos", "attachments"])(
    "treats %s as omitted if it is null, an empty text or blank",
    async (field) => {
      const empty = { metadata: {}, images: [], videos: [], attachments: [] };
      for (const blank of [null, "", " \n\t"])
        expect(await stored({ [field]: blank }), JSON.stringify(blank)).toMatchObject({ feedback: empty });
    },
  );

  it("accepts empty lists of files", async () => {
    const files = { images: [], videos: [], attachments: [] };
    expect(await stored(files)).toMatchObject({ feedback: files });
  });

  it("trims texts", async () => {
    const padded = {
      message: "\n It crashes. ",
      subject: " Crash ",
      name: "\tAda ",
      email: " a@b.c ",
      source: " ci\n",
    };
    expect(await stored(padded)).toMatchObject({
      feedback: { message: "It crashes.", subject: "Crash", source: "ci" },
      sender: { name: "Ada", email: "a@b.c" },
    });
  });

  it.each(["ada@example.org", "@ada on Mastodon", "+43 1 234", "not an address"])(
    "accepts any contact text as e-mail, such as %s",
    async (email) => {
      expect(await stored({ email })).toMatchObject({ sender: { email } });
    },
  );

  const long =
    "The export of a very long report stops after a while and then nothing at all happens any more";
  it.each([
    ["the first sentence", "It crashes. Always on export.", "It crashes."],
    ["the first line", "Crash on export\nIt happens always.", "Crash on export"],
    ["a sentence with a version in it", "Since v1.2.3 it crashes! Help.", "Since v1.2.3 it crashes!"],
    ["one line of many blanks", "Crash   on \t export", "Crash on export"],
    [
      "80 characters, cut at a word",
      long,
      "The export of a very long report stops after a while and then nothing at all…",
    ],
    ["80 characters of one word", "x".repeat(100), `${"x".repeat(79)}…`],
    ["80 characters in code points", "😀a".repeat(60), `${"😀a".repeat(39)}😀…`],
    ["the type before a message without words", "?!", "bug: ?!"],
  ])("derives the subject from %s if the report has none", async (_, message, subject) => {
    expect(await stored({ message })).toMatchObject({ feedback: { subject, message } });
  });

  it("is refused with 403 feedback_disabled while feedback is turned off for the app", async () => {
    const off = await makeAppWithAgent(service, { feedbackEnabled: false });
    const answer = await submit({ type: "bug", message: "It crashes." }, off.key);
    expect(answer).toMatchObject({ status: 403, body: { code: "feedback_disabled" } });
  });

  it("is accepted or refused as soon as its owner turns feedback on or off", async () => {
    const fickle = await makeAppWithAgent(service);
    const turn = (feedbackEnabled: boolean) =>
      service.request("PATCH", `/api/v1/console/apps/${fickle.appId}`, {
        headers: fickle.person,
        body: { feedbackEnabled },
      });
    const statuses = [];
    for (const on of [true, false, true]) {
      await turn(on);
      statuses.push((await submit({ type: "bug", message: "x" }, fickle.key)).status);
    }
    expect(statuses).toEqual([201, 403, 201]);
  });
});

it("links use the {console_url} and {base_url} of the deployment", async () => {
  const environment = { INNKEEP_CONSOLE_URL: "https://console.example/desk" };
  const service = await startService({ environment });
  const cast = await makeAppWithAgent(service);
  const answer = await service.request("POST", path, {
    headers: cast.key,
    body: { type: "bug", message: "x" },
  });
  expect(answer.field("consoleUrl")).toBe(
    `https://console.example/desk/feedback/${cast.appId}/${answer.field("id")}`,
  );
  await service.stop();
});
