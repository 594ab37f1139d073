import { spawn } from "node:child_process";
import { once } from "node:events";
import { request as ask } from "node:http";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { listen } from "../../support/network/recording-server.ts";
import { innkeepPath } from "../../support/programs/built-program.ts";
import { type Service, startService } from "../../support/service/service.ts";
import { rounds } from "../../support/torture.ts";
import { makeReleasingMaintainer } from "../../support/worlds/releasing-maintainer.ts";

let service: Service;
beforeAll(async () => {
  service = await startService({ environment: { INNKEEP_RATE_LIMITS: "off" } });
});
afterAll(() => service.stop());

/** Forwards requests. Calls `kill` at the write with this number: when it arrives, or after its answer. */
const proxyThatKills = (at: number, isAnswered: boolean, kill: () => void) => {
  let writes = 0;
  return listen((request, response) => {
    const { method, url = "/", headers } = request;
    if (method !== "GET") writes += 1;
    const isLast = method !== "GET" && writes === at;
    if (isLast && !isAnswered) kill();
    const onward = ask(new URL(url, service.baseUrl), { method, headers }, (answer) => {
      if (isLast && isAnswered) kill();
      answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
};

const count = 12;
const versions = Array.from({ length: count }, (_, at) => `1.${count - at}.0`);
const file = versions
  .map(
    (version, at) => `## ${version} - 2026-01-${String(28 - at).padStart(2, "0")}\n\n- Add part ${version}\n`,
  )
  .join("\n");

const moments = [1, 2, 7, count].flatMap((at) => [
  { command: "import", at, isAnswered: false },
  { command: "import", at, isAnswered: true },
]);
const all = [
  ...moments.slice(0, rounds(4, moments.length)),
  { command: "release", at: 1, isAnswered: false },
  { command: "release", at: 1, isAnswered: true },
];

it.each(all)(
  "the next run completes changelog $command that was killed at write $at (answered: $isAnswered), and each note exists once and completely",
  async ({ command, at, isAnswered }) => {
    const maintainer = await makeReleasingMaintainer(service);
    const { folder, write, run, stored } = maintainer;
    await write("CHANGELOG.md", file);
    const env = {
      PATH: process.env.PATH,
      HOME: await temporaryFolder(),
      INNKEEP_TOKEN: maintainer.token,
      INNKEEP_BASE_URL: await proxyThatKills(at, isAnswered, () => void program.kill("SIGKILL")),
    };
    const program = spawn(process.execPath, [innkeepPath, "changelog", command], { cwd: folder, env });
    expect(await once(program, "close")).toEqual([null, "SIGKILL"]);
    for (const { items, body, publishedAt } of await stored()) {
      expect(items).toHaveLength(1);
      expect(body).toContain("Add part");
      expect(publishedAt).not.toBeNull();
    }
    expect(await run(command)).toMatchObject({ exit: 0 });
    const wanted = command === "import" ? versions : versions.slice(0, 1);
    expect((await stored()).map(({ version }) => version)).toEqual(wanted);
  },
);
