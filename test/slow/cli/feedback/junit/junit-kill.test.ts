import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request as ask } from "node:http";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { gitHubJob, place } from "../../../../support/clients/junit-sending.ts";
import { junitReport } from "../../../../support/files/junit-samples.ts";
import { png } from "../../../../support/files/sample-files.ts";
import { temporaryFolder } from "../../../../support/files/temporary-folder.ts";
import { listen } from "../../../../support/network/recording-server.ts";
import { innkeep, innkeepPath } from "../../../../support/programs/built-program.ts";
import { randomFrom, runSeed } from "../../../../support/random-seed.ts";
import { startService } from "../../../../support/service/service.ts";
import { rounds, torture } from "../../../../support/torture.ts";

const count = 7;
const names = Array.from({ length: count }, (_, at) => `test ${at}`);

it.each(torture ? names.map((_, at) => at + 1) : [1, 4, 7])(
  "no report is lost or stored twice if the sender is killed at report %i and the command resend sends the rest",
  async (at) => {
    const { job, items, start, threads } = await startedJob();
    const sender: ChildProcess = await start(
      await proxyThatStops(job.INNKEEP_BASE_URL, at, () => sender.kill("SIGKILL")),
    );
    expect(await once(sender, "close")).toEqual([null, "SIGKILL"]);
    expect(await items("resend", "--list")).toHaveLength(count - at + 1);
    expect(await items("resend", "--all")).toHaveLength(count - at + 1);
    expect(await items("resend", "--list")).toEqual([]);
    expect(await threads()).toEqual(names.map((name) => `Test failed: ${name} (cart) 1`));
  },
);

it("no report is lost or stored twice if the job is killed at any moment and runs again", async () => {
  const random = randomFrom(runSeed);
  for (let round = 0; round < rounds(3, 40); round += 1) {
    const { job, items, start, threads } = await startedJob();
    const sender = await start(job.INNKEEP_BASE_URL);
    const delay = Math.floor(random() * 800);
    const timer = setTimeout(() => sender.kill("SIGKILL"), delay);
    await once(sender, "close");
    clearTimeout(timer);
    await once(await start(job.INNKEEP_BASE_URL), "close");
    await items("resend", "--all");
    expect(await items("resend", "--list")).toEqual([]);
    expect(await threads(), `killed after ${delay} ms`).toEqual(
      names.map((name) => `Test failed: ${name} (cart) 1`),
    );
  }
}, 300_000);

/** A job with a report of failing tests, each with a file, on a new app. */
async function startedJob() {
  const service = await startService();
  onTestFinished(() => service.stop());
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const cwd = await temporaryFolder();
  const job = {
    ...gitHubJob(),
    INNKEEP_API_KEY: app.key,
    INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", { scopes: ["feedback:read"] }),
    INNKEEP_APP: app.id,
    INNKEEP_STATE_DIR: join(cwd, "state"),
    INNKEEP_BASE_URL: service.baseUrl,
  };
  const inside = "<system-out>[[ATTACHMENT|shot.png]]</system-out>";
  await place({ cwd }, "junit.xml", junitReport(...names.map((name) => ({ name, failure: "no", inside }))));
  await place({ cwd }, "shot.png", png().bytes);
  let env: Record<string, string> = job;
  const items = async (...argv: string[]) =>
    JSON.parse((await innkeep(["feedback", ...argv, "--json"], { env })).stdout).items;
  return {
    job,
    items,
    /** Starts the command with this address. Later commands use the same address. */
    async start(baseUrl: string): Promise<ChildProcess> {
      env = { ...job, INNKEEP_BASE_URL: baseUrl };
      const argv = [innkeepPath, "feedback", "send", "--junit", "*.xml"];
      return spawn(process.execPath, argv, { env, cwd, stdio: "ignore" });
    },
    async threads(): Promise<string[]> {
      const found: { subject: string; occurrences: number }[] = await items("list");
      return found.map(({ subject, occurrences }) => `${subject} ${occurrences}`).sort();
    },
  };
}

/** Forwards requests, but calls `stop` instead of the answer to this change. */
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
