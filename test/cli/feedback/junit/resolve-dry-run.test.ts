import { expect, it } from "vitest";
import { limits } from "../../../../src/contract/limits.ts";
import { createCommandLine } from "../../../support/clients/command-line.ts";
import { answers, startRecordingServer } from "../../../support/network/recording-server.ts";

it("the command feedback resolve --dry-run shows every request, and sends none", async () => {
  const { baseUrl, received } = await startRecordingServer(answers(200, {}));
  const appId = "0197b3a0-0000-7000-8000-00000000000a";
  const env = { INNKEEP_BASE_URL: baseUrl, INNKEEP_TOKEN: "sdm_test", INNKEEP_APP: appId };
  const line = await createCommandLine(env);
  const dry = [
    "feedback",
    "resolve",
    "--dedupe-key",
    "nightly",
    "--run-status",
    "success",
    "--dedupe-run",
    "1",
    "--dry-run",
  ];
  expect((await line.run(dry)).stdout.match(/^POST /gm)).toHaveLength(1);
  expect((await line.run([...dry, "--json"])).json()).toMatchObject({ dryRun: true, method: "POST" });
  const keys = Array.from({ length: limits.passedFailures + 1 }, (_, at) => ["--dedupe-key", `k${at}`]);
  const many = [...dry, ...keys.flat()];
  expect((await line.run(many)).stdout.match(/^POST /gm)).toHaveLength(2);
  const { requests } = Object((await line.run([...many, "--json"])).json());
  expect(requests.map(({ body }: { body: { passed: unknown[] } }) => body.passed.length)).toEqual([
    limits.passedFailures,
    2,
  ]);
  expect(received).toEqual([]);
});
