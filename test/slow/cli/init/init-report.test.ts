import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { appKey } from "../../../support/clients/client-with-credentials.ts";
import { createCommandLine } from "../../../support/clients/command-line.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { listen } from "../../../support/network/recording-server.ts";
import { innkeep, innkeepPath } from "../../../support/programs/built-program.ts";

/** A server that accepts every key. `onReport` answers the reports. */
const serverWhere = (onReport: Parameters<typeof listen>[0]) =>
  listen((request, response) => {
    if (request.method === "POST") return onReport(request, response);
    return void response.writeHead(200, { "content-type": "application/json" }).end("[]");
  });

const asJson = (text: string) => Object(JSON.parse(text)).items;

describe("the first report of the command init", () => {
  it("is kept if the server fails, and is sent later", async () => {
    let isDown = true;
    const keys: unknown[] = [];
    const server = await serverWhere(({ headers }, response) => {
      keys.push(headers["idempotency-key"]);
      const answer = isDown ? { error: "Down." } : { success: true, id: "thread" };
      response.writeHead(isDown ? 500 : 201, { "content-type": "application/json" });
      response.end(JSON.stringify(answer));
    });
    const line = await createCommandLine({ INNKEEP_API_KEY: appKey, INNKEEP_BASE_URL: server });
    const ran = await line.run(["init", "--send", "--max-wait", "1s"]);
    expect(ran).toMatchObject({ exit: 75, stderr: expect.stringContaining("The report is kept.") });
    expect(ran.stderr).toContain("innkeep feedback resend ");
    const list = ["feedback", "resend", "--list", "--json"];
    expect(asJson((await line.run(list)).stdout)).toMatchObject([{ outcome: "unknown" }]);

    isDown = false;
    expect(await line.run(["feedback", "resend", "--all"])).toMatchObject({ exit: 0 });
    expect(asJson((await line.run(list)).stdout)).toEqual([]);
    expect(new Set(keys).size).toBe(1);
  });

  it("is kept if the program is killed before the answer", async () => {
    const server = await serverWhere(() => void program.kill("SIGKILL"));
    const cwd = await temporaryFolder();
    const env = { INNKEEP_API_KEY: appKey, INNKEEP_BASE_URL: server, INNKEEP_STATE_DIR: cwd };
    const program = spawn(process.execPath, [innkeepPath, "init", "--send"], { cwd, env });
    expect(await once(program, "close")).toEqual([null, "SIGKILL"]);
    const { stdout } = await innkeep(["feedback", "resend", "--list", "--json"], { env });
    expect(asJson(stdout)).toMatchObject([{ outcome: "unknown" }]);
  });

  it("is checked before anything is written", async () => {
    const server = await serverWhere((_, response) => void response.writeHead(500).end());
    const line = await createCommandLine({ INNKEEP_API_KEY: appKey, INNKEEP_BASE_URL: server });
    const ran = await line.run(["init", "--send", "--message", "@missing.txt"]);
    expect(ran).toMatchObject({ exit: 2, stderr: expect.stringContaining("--message") });
    expect(await readdir(line.cwd)).toEqual([]);
  });
});
