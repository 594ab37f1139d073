import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../support/clients/command-line.ts";
import { listen } from "../../support/network/recording-server.ts";

/** A server that answers with the request it got, and a user who has every credential for it. */
async function echo() {
  const baseUrl = await listen(async (request, response) => {
    const { method, url, headers } = request;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { "x-api-key": key, authorization } = headers;
    response.setHeader("set-cookie", "session=secret");
    response.end(
      JSON.stringify({ method, url, shown: key ?? authorization, sent: Buffer.concat(chunks).toString() }),
    );
  });
  const line = await createCommandLine({
    INNKEEP_BASE_URL: baseUrl,
    INNKEEP_API_KEY: "key",
    INNKEEP_AGENT_TOKEN: "agent",
    INNKEEP_DEVICE_TOKEN: "device",
    INNKEEP_TOKEN: "maintainer",
  });
  const api = async (...argv: string[]) => (await line.run(["api", ...argv, "--json"])).json();
  return { baseUrl, line, api };
}

describe("api", () => {
  it.each([
    ["/api/v1/faqs/remote", "key"],
    ["/api/v1/faqs/remote/7", "key"],
    ["/api/v1/changelog/remote?limit=1", "key"],
    ["/api/v1/agent/runs/7", "Bearer agent"],
    ["/api/v1/console/apps", "Bearer maintainer"],
    ["/api/v1/testing/sdk/session", "key"],
    ["/api/v1/testing/me/tasks?day=2", "Bearer device"],
    ["/api/v1/testing/auth/exchange", undefined],
    ["/healthz", undefined],
  ])("sends %s the right credential", async (path, shown) => {
    const { api } = await echo();
    expect(await api(path)).toMatchObject({ method: "GET", url: path, ...(shown && { shown }) });
  });

  it("chooses the credential by the resolved path, not by its spelling", async () => {
    const { api } = await echo();
    expect(await api("/api/v1/faqs/../agent/runs/7")).toMatchObject({
      url: "/api/v1/agent/runs/7",
      shown: "Bearer agent",
    });
  });

  it.each(["api/v1/faqs/remote", "/api/v1/faqs/remote"])(
    "takes %s, with or without the first slash",
    async (path) => {
      const { api } = await echo();
      expect(await api(path)).toMatchObject({ url: "/api/v1/faqs/remote" });
    },
  );

  it("takes a whole address on this server, and on no other", async () => {
    const { api, baseUrl, line } = await echo();
    expect(await api(`${baseUrl}/api/v1/faqs/remote`)).toMatchObject({ url: "/api/v1/faqs/remote" });
    for (const other of ["https://evil.example/api/v1/faqs/remote", `${baseUrl}0/api/v1/faqs/remote`]) {
      expect(await line.run(["api", other])).toMatchObject({
        exit: 2,
        stderr: expect.stringContaining("A credential is sent only to its own server."),
      });
    }
  });

  it("posts fields, as text and as JSON", async () => {
    const { api } = await echo();
    const fields = ["-f", "question=a=b", "-F", "sortOrder=3", "--field", "answer=true"];
    expect(await api("/api/v1/faqs/remote", ...fields)).toMatchObject({
      method: "POST",
      sent: '{"question":"a=b","answer":"true","sortOrder":3}',
    });
  });

  it("sends a raw body, with any method", async () => {
    const { line } = await echo();
    const argv = ["api", "/api/v1/faqs/remote/7", "-X", "patch", "--body", "-", "--json"];
    const ran = await line.run(argv, { stdin: '{ "answer": "So." }' });
    expect(ran.json()).toMatchObject({ method: "PATCH", sent: '{"answer":"So."}' });
  });

  it("shows status and headers with --include, but no cookie", async () => {
    const { line } = await echo();
    const { stdout } = await line.run(["api", "/healthz", "--include"]);
    expect(stdout).toMatch(/^200\n/);
    expect(stdout).toContain("set-cookie: [redacted]\n");
  });

  it("prints an answer that is not JSON unchanged", async () => {
    const baseUrl = await listen((_, response) => void response.end("up 1\nbusy 0\n"));
    const line = await createCommandLine({ INNKEEP_BASE_URL: baseUrl });
    expect((await line.run(["api", "/metrics"])).stdout).toBe("up 1\nbusy 0\n");
    expect((await line.run(["api", "/metrics", "--json"])).json()).toBe("up 1\nbusy 0\n");
  });

  it.each([
    [["-X", "FETCH"], "FETCH is not a method."],
    [["-f", "question"], "It must be of the form name=value."],
    [["-F", "sortOrder=three"], "The value must be JSON."],
    [["--body", "{"], "--body is not JSON."],
    [["--body", "{}", "-f", "a=b"], "--body is the whole body"],
  ])("refuses %j", async (flags, message) => {
    const { line } = await echo();
    expect(await line.run(["api", "/healthz", ...flags])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining(message),
    });
  });

  it("recognises a path that a Windows shell turned into a file name", async () => {
    const { line } = await echo();
    expect(await line.run(["api", "C:/Program Files/Git/api/v1/faqs/remote"])).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining("Set MSYS_NO_PATHCONV=1"),
    });
  });
});
