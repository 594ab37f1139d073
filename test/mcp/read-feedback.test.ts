import { describe, expect, it } from "vitest";
import { eras } from "./support/clients.ts";
import { startFakeApi } from "./support/fake-api.ts";
import { read } from "./support/result.ts";
import { openSession } from "./support/session.ts";

describe.each(eras)("read_feedback over %s", (era) => {
  const start = async () => {
    const api = await startFakeApi();
    const { client } = await openSession(era, { baseUrl: api.baseUrl });
    const readFeedback = async (args: Record<string, unknown>) =>
      read(await client.callTool("read_feedback", args));
    return { api, readFeedback };
  };

  it("gives the thread by its id", async () => {
    const { api, readFeedback } = await start();
    const id = api.addThread();
    const { structured, isError } = await readFeedback({ feedback: id });
    expect(isError).toBe(false);
    expect(structured).toMatchObject({
      app: { name: "Teapot" },
      feedback_id: id,
      category: "bug",
      status: "open",
      latest_proposal: null,
      untrusted: {
        subject: "It crashes",
        message: "The app crashes when I pour.",
        metadata: { device: "Pixel 9" },
      },
      truncated: false,
      removed_characters: 0,
    });
  });
});
