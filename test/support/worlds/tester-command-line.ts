import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createCommandLine } from "../clients/command-line.ts";
import { png } from "../files/sample-files.ts";
import type { ListingTraits } from "../service/cycle-makers.ts";
import type { Service } from "../service/service.ts";

/** A tester with a slot in a running cycle, the tester's machine, and the owner's objects. */
export async function createTesterCommandLine(service: Service, traits: Partial<ListingTraits> = {}) {
  const owner = await service.makeUser();
  const app = await service.makeApp(owner);
  const listing = await service.makeListing(app, traits);
  const cycle = await service.makeCycle(listing);
  const tester = await service.makeUser();
  const [slotId = ""] = cycle.slotIds;
  const testKey = await service.giveSlot(cycle, slotId, tester);
  const { authorization } = await service.makeDevice(tester);
  const line = await createCommandLine({
    INNKEEP_BASE_URL: service.baseUrl,
    INNKEEP_API_KEY: app.key,
    INNKEEP_DEVICE_TOKEN: authorization.slice("Bearer ".length),
    INNKEEP_TOKEN: await service.makeToken(owner, "maintainer", { scopes: ["testing:manage", "apps:read"] }),
  });
  const picture = join(line.cwd, "shot.png");
  await writeFile(picture, png().bytes);
  return { app, cycle, line, listing, owner, slotId, tester, testKey };
}
