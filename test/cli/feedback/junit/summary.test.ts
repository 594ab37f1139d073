import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCommandLine } from "../../../support/clients/command-line.ts";
import { gitHubJob, place } from "../../../support/clients/junit-sending.ts";
import { junitReport, type MadeTest } from "../../../support/files/junit-samples.ts";
import { type Service, startService } from "../../../support/service/service.ts";

const names = ["a", "b", "c"];
const red = names.map((name): MadeTest => ({ name, failure: "no" }));
const green = (...passed: string[]) => passed.map((name): MadeTest => ({ name }));

describe("the summary of many failing tests", () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  async function started() {
    const owner = await service.makeUser();
    const app = await service.makeApp(owner);
    const token = await service.makeToken(owner, "maintainer", {
      scopes: ["feedback:read", "feedback:write"],
    });
    const access = { INNKEEP_BASE_URL: service.baseUrl, INNKEEP_API_KEY: app.key, INNKEEP_TOKEN: token };
    const line = await createCommandLine({ ...access, INNKEEP_APP: app.id });
    let run = 0;
    return async (argv: readonly string[], report: string) => {
      await place(line, "junit.xml", report);
      run += 1;
      const ran = await line.run([...argv, "--junit", "junit.xml", "--json"], {
        env: gitHubJob({ GITHUB_RUN_ID: String(run) }),
      });
      expect(ran).toMatchObject({ exit: 0 });
      return ran.json();
    };
  }
  const send = ["feedback", "send", "--max-reports", "0"];
  const resolve = (status: string) => ["feedback", "resolve", "--run-status", status];
  const none = { resolved: [] };

  it.each(["success", "failure"])(
    "is not resolved if other tests pass in a run that ends with %s",
    async (status) => {
      const run = await started();
      await run(send, junitReport(...red));
      const others = names.map((name): MadeTest => ({ name, suite: "other" }));
      expect(await run(resolve(status), junitReport(...others))).toMatchObject(none);
    },
  );

  it("is resolved when each test that it lists has passed", async () => {
    const run = await started();
    await run(send, junitReport(...red));
    expect(await run(resolve("failure"), junitReport(...green("a", "b")))).toMatchObject(none);
    expect(await run(resolve("success"), junitReport(...green("a", "b")))).toMatchObject(none);
    const last = await run(resolve("success"), junitReport(...green("c")));
    expect(last).toMatchObject({ resolved: [{ dedupeKey: expect.stringMatching(/^junit-more:/) }] });
  });
});
