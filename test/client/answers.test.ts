import { describe, expect, it } from "vitest";
import { clientWithCredentials } from "../support/clients/client-with-credentials.ts";
import { answers, listen, startRecordingServer } from "../support/network/recording-server.ts";

const faq = { question: "How?", answer: "So." };
const deviceToken = async () => "sdt_ofTheTest";
const clientOf = async (...given: Parameters<typeof answers>) =>
  clientWithCredentials((await startRecordingServer(answers(...given))).baseUrl, { attempts: 1 }).client;

describe("a successful answer", () => {
  it("is returned with fields that the contract does not have", async () => {
    const client = await clientOf(200, [{ id: "1", ...faq, mood: "sunny" }]);
    expect(await client.faqs.list()).toEqual([{ id: "1", ...faq, mood: "sunny" }]);
  });

  it("can be without fields that only Innkeep's server adds", async () => {
    const client = await clientOf(201, { success: true });
    expect(await client.feedback.submit({ body: { type: "bug", message: "It broke." } })).toEqual({
      success: true,
    });
  });

  it.each([
    ["other fields", '{"accepted":true}', { accepted: true }],
    ["an empty object", "{}", {}],
    ["nothing", "", {}],
  ])("can have %s where the specification shows no answer (rule L60)", async (_, text, expected) => {
    const baseUrl = await listen((_request, response) => {
      response.writeHead(201, { "content-type": "application/json" }).end(text);
    });
    const { tester } = clientWithCredentials(baseUrl, { credentials: deviceToken }).client;
    expect(await tester.requestSlot({ params: { slotId: "7" }, body: {} })).toEqual(expected);
  });

  it.each([
    [200, ""],
    [201, "<h1>Welcome</h1>"],
    [201, "[]"],
  ])("is refused even where the specification shows no answer if it is %i with %j", async (status, text) => {
    const baseUrl = await listen((_request, response) => void response.writeHead(status).end(text));
    const { tester } = clientWithCredentials(baseUrl, { credentials: deviceToken }).client;
    await expect(tester.requestSlot({ params: { slotId: "7" }, body: {} })).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
    });
  });

  it("without a body is returned as undefined", async () => {
    const baseUrl = await listen((_, response) => void response.writeHead(204).end());
    expect(await clientWithCredentials(baseUrl).client.session.remove()).toBeUndefined();
  });

  it.each([204, 205])("without a body is refused if the API has a body there: %i", async (status) => {
    const baseUrl = await listen((_, response) => void response.writeHead(status).end());
    const { faqs, agent } = clientWithCredentials(baseUrl).client;
    await expect(faqs.list()).rejects.toMatchObject({ name: "UnexpectedAnswerError", status });
    await expect(agent.readThread({ params: { id: "7" } })).rejects.toMatchObject({ status });
  });

  it("may begin with a byte order mark", async () => {
    const baseUrl = await listen((_request, response) => void response.end("\uFEFF[]"));
    expect(await clientWithCredentials(baseUrl).client.faqs.list()).toEqual([]);
  });

  it.each([
    ["a web page", "<h1>Welcome</h1>", "text/html"],
    ["nothing", "", "application/json"],
    ["half of a web page", '[{"id":', "application/json"],
    ["the JSON of another service", '{"hello":"world"}', "application/json"],
    ["a bare number", "7", "application/json"],
  ])("is reported as the answer of another service if it is %s", async (_, text, type) => {
    const baseUrl = await listen((_request, response) => {
      response.writeHead(200, { "content-type": type }).end(text);
    });
    await expect(clientWithCredentials(baseUrl).client.faqs.list()).rejects.toMatchObject({
      name: "UnexpectedAnswerError",
      message: expect.stringContaining(`GET ${baseUrl}/api/v1/faqs/remote was answered with status 200`),
    });
  });
});

describe("an error of the server", () => {
  it("has the code, the status, the message, the faults and the request id of the server", async () => {
    const issues = [{ path: "question", message: "must not be empty" }];
    const body = { error: "Malformed.", code: "bad_request", issues };
    const client = await clientOf(400, body, { "x-request-id": "r-1" });
    await expect(client.faqs.create({ body: faq })).rejects.toMatchObject({
      name: "ServerError",
      message: "Malformed.",
      ...{ status: 400, code: "bad_request", issues, requestId: "r-1", body },
    });
  });

  it("keeps an unknown code", async () => {
    const client = await clientOf(418, { error: "Short and stout.", code: "teapot", spout: true });
    const refused = expect(client.faqs.list()).rejects;
    await refused.toMatchObject({ code: "teapot", body: { spout: true } });
  });

  it.each([
    [{ message: "Gone fishing." }, "Gone fishing.", "http_404"],
    [{ error: { message: "Gone fishing.", code: "away" } }, "Gone fishing.", "away"],
    [{}, "The server answered with status 404.", "http_404"],
    [["odd"], "The server answered with status 404.", "http_404"],
  ])("gets the best possible message if its form is %j", async (body, message, code) => {
    const client = await clientOf(404, body);
    await expect(client.faqs.list()).rejects.toMatchObject({ message, code, status: 404 });
  });

  it("is named by its status if a proxy answered with a web page", async () => {
    const baseUrl = await listen((_, response) => {
      response.writeHead(502, { "content-type": "text/html; charset=utf-8" }).end("<h1>Bad gateway</h1>");
    });
    await expect(clientWithCredentials(baseUrl, { attempts: 1 }).client.faqs.list()).rejects.toMatchObject({
      code: "http_502",
      message: "The server answered with status 502 and text/html.",
    });
  });
});
