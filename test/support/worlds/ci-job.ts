import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { createCommandLine } from "../clients/command-line.ts";
import { temporaryFolder } from "../files/temporary-folder.ts";
import { commandsIn } from "../programs/ci-workflows.ts";
import type { Service } from "../service/service.ts";

const Listed = z.object({ items: z.array(z.object({ id: z.string() })) });
const Viewed = z.object({
  feedback: z.object({
    subject: z.string(),
    message: z.string(),
    status: z.string(),
    metadata: z.record(z.string(), z.unknown()),
  }),
});

/**
 * A job for a new app: its folder, its environment with the secrets, and functions that read what arrived on the
 * server.
 */
export async function startCiJob(service: Service) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const scopes = ["feedback:read", "feedback:write", "changelog:write", "faqs:write", "apps:read"];
  const token = await service.makeToken(owner, "maintainer", { scopes, appId: app.id });
  const secrets = { INNKEEP_API_KEY: app.key, INNKEEP_TOKEN: token };
  const folder = await temporaryFolder();
  const bin = await commandsIn(folder);
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_TOKEN: token,
    INNKEEP_APP: app.id,
  });
  const json = async (...argv: string[]) => (await line.run([...argv, "--json"])).json();
  return {
    folder,
    secrets,
    env: { PATH: `${bin}:${process.env.PATH}`, HOME: folder, CI: "true" },
    json,
    /** From now on the tests of this job pass. */
    turnGreen: () => writeFile(join(folder, "green"), ""),
    async threads() {
      const { items } = Listed.parse(await json("feedback", "list"));
      const found = items.map(async ({ id }) => Viewed.parse(await json("feedback", "view", id)).feedback);
      return (await Promise.all(found)).map(({ metadata, ...thread }) => ({ ...thread, ci: metadata.ci }));
    },
  };
}

export type CiJob = Awaited<ReturnType<typeof startCiJob>>;
