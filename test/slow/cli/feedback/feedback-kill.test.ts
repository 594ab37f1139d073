import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { send } from "../../../support/clients/feedback-sending.ts";
import { mp4 } from "../../../support/files/sample-files.ts";
import { temporaryFolder } from "../../../support/files/temporary-folder.ts";
import { responseDroppingProxy } from "../../../support/network/response-dropping-proxy.ts";
import { innkeep, innkeepPath } from "../../../support/programs/built-program.ts";
import { startService } from "../../../support/service/service.ts";

it("a report creates one thread when it is sent again after the sending command was killed before the answer", async () => {
  const service = await startService();
  onTestFinished(() => service.stop());
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const folder = await temporaryFolder();
  const env = {
    INNKEEP_API_KEY: app.key,
    INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", { scopes: ["feedback:read"] }),
    INNKEEP_APP: app.id,
    INNKEEP_STATE_DIR: folder,
    INNKEEP_BASE_URL: await responseDroppingProxy(service.baseUrl, () => sender.kill("SIGKILL")),
  };
  const items = async (...argv: string[]) =>
    JSON.parse((await innkeep(["feedback", ...argv, "--json"], { env })).stdout).items;
  await writeFile(join(folder, "clip.mp4"), mp4(3_000_000).bytes);

  const argv = [innkeepPath, ...send, "--video", join(folder, "clip.mp4")];
  const sender = spawn(process.execPath, argv, { env });
  expect(await once(sender, "close")).toEqual([null, "SIGKILL"]);
  expect(await items("resend", "--list")).toMatchObject([{ outcome: "unknown" }]);

  expect(await items("resend", "--all")).toMatchObject([{ sent: true }]);
  expect(await items("list")).toMatchObject([{ occurrences: 1 }]);
  expect(await items("resend", "--list")).toEqual([]);
});
