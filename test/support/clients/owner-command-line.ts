import type { Service } from "../service/service.ts";
import { type CommandLine, createCommandLine } from "./command-line.ts";

export interface OwnerCommandLine {
  readonly owner: { readonly id: string; readonly email: string };
  readonly larder: { readonly id: string; readonly key: string };
  readonly lantern: { readonly id: string; readonly key: string };
  /** With a maintainer token of these scopes, for all apps or for one. */
  script(scopes: readonly string[], appId?: string): Promise<CommandLine>;
}

/** An owner of two apps, Larder and Lantern, whose scripts run commands. */
export async function makeOwnerCommandLine(service: Service): Promise<OwnerCommandLine> {
  const owner = await service.makeUser();
  const larder = await service.makeApp(owner, { name: "Larder" });
  const lantern = await service.makeApp(owner, { name: "Lantern" });
  const script = async (scopes: readonly string[], appId?: string) =>
    createCommandLine({
      INNKEEP_BASE_URL: service.baseUrl,
      INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", { scopes, appId }),
    });
  return { owner, larder, lantern, script };
}
