import { createCommandLine } from "../clients/command-line.ts";
import type { Service } from "../service/service.ts";

/** An app without release notes; a command line with its key, and one of its maintainer. */
export async function makeChangelogCommandLines(service: Service) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner, { name: "Pocket Atlas" });
  const token = await service.makeToken(owner, "maintainer", { scopes: ["changelog:write", "apps:read"] });
  const server = { INNKEEP_BASE_URL: service.baseUrl };
  const reader = await createCommandLine({ ...server, INNKEEP_API_KEY: app.key });
  const line = await createCommandLine({ ...server, INNKEEP_TOKEN: token });
  const create = async (version: string, ...flags: string[]) => {
    const argv = [
      "changelog",
      "create",
      "--title",
      `About ${version}`,
      "--version",
      version,
      "--fields",
      "id",
      ...flags,
    ];
    return (await line.run(argv)).stdout.trim();
  };
  return { app, token, reader, line, create };
}
