import { describe, expect, it } from "vitest";
import { createCommandLine } from "../../../support/clients/command-line.ts";
import { gitHubJob } from "../../../support/clients/junit-sending.ts";
import { answers, startRecordingServer } from "../../../support/network/recording-server.ts";

const nothing = { resolved: [], stillFailing: [], more: false };

describe("the command feedback resolve", () => {
  it("sends the present time of its clock with each attempt, and the same body", async () => {
    const busy = answers(503, { error: "Busy.", code: "busy" });
    const { baseUrl, received } = await startRecordingServer(busy, answers(200, nothing));
    const line = await createCommandLine({
      INNKEEP_BASE_URL: baseUrl,
      INNKEEP_TOKEN: "sdm_test",
      INNKEEP_APP: "0197b3a0-0000-7000-8000-00000000000a",
    });
    const argv = ["feedback", "resolve", "--dedupe-key", "nightly", "--run-status", "success"];
    const before = Math.floor(Date.now() / 1_000) * 1_000;
    expect(await line.run(argv, { env: gitHubJob() })).toMatchObject({ exit: 0 });
    expect(received).toHaveLength(2);
    for (const { headers } of received) expect(Date.parse(headers.date ?? "")).toBeGreaterThanOrEqual(before);
    const [first, second] = received.map(({ headers, body }) => [
      headers["idempotency-key"],
      body.toString(),
    ]);
    expect(second).toEqual(first);
  });
});
