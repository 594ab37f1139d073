import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request as ask } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { gitHubJob, place } from "../../../support/clients/junit-sending.ts";
import { junitReport } from "../../../support/files/junit-samples.ts";
import { png } from "../../../support/files/sample-files.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { listen } from "../../../support/network/recording-server.ts";
import { innkeep, innkeepPath } from "../../../support/programs/built-program.ts";
import { startService } from "../../../support/service/service.ts";

it.each([1, 4, 7])("no report is lost or doubled if the sender is killed at report %i", async (at) => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const cwd = await temporaryFolder();
  const scopes = ["feedback:read"];
  const env = {
    ...gitHubJob(),
    INNKEEP_API_KEY: app.key,
    INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", { scopes }),
    INNKEEP_APP: app.id,
    INNKEEP_STATE_DIR: join(cwd, "state"),
    INNKEEP_BASE_URL: await proxyThatStops(service.baseUrl, at, () => sender.kill("SIGKILL")),
  };
  const items = async (...argv: string[]) =>
    JSON.parse((await innkeep(["feedback", ...argv, "--json"], { env })).stdout).items;
  const inside = "<system-out>[[ATTACHMENT|shot.png]]</system-out>";
  const tests = Array.from({ length: 7 }, (_, test) => ({ name: `test ${test}`, failure: "no", inside }));
  await place({ cwd }, "junit.xml", junitReport(...tests));
  await place({ cwd }, "shot.png", png().bytes);

  const argv = [innkeepPath, "feedback", "send", "--junit", "*.xml"];
  const sender: ChildProcess = spawn(process.execPath, argv, { env, cwd });
  expect(await once(sender, "close")).toEqual([null, "SIGKILL"]);
  expect(await items("resend", "--list")).toHaveLength(7 - at + 1);

  expect(await items("resend", "--all")).toHaveLength(7 - at + 1);
  expect(await items("resend", "--list")).toEqual([]);
  const threads: { subject: string; occurrences: number }[] = await items("list");
  const found = threads.map(({ subject, occurrences }) => `${subject} ${occurrences}`).sort();
  expect(found).toEqual(tests.map(({ name }) => `Test failed: ${name} (cart) 1`));
});

/** Passes requests on, but calls `stop` in place of the answer to the given change. */
function proxyThatStops(target: string, at: number, stop: () => void): Promise<string> {
  let changes = 0;
  return listen((request, response) => {
    const { method, url = "/", headers } = request;
    if (method === "POST") changes += 1;
    const stops = method === "POST" && changes === at;
    const onward = ask(new URL(url, target), { method, headers }, (answer) => {
      if (stops) answer.resume().on("end", stop);
      else answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    request.pipe(onward);
  });
}
