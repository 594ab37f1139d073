import type { TestEngine } from "../../database/databases.ts";
import { startService } from "../../service/service.ts";

const secret = "the secret of one deployment, on each of its servers";
const noon = Date.parse("2026-06-01T12:00:00Z");

/** A server, and a reference server without a cache: its answers show the content of the database. */
export async function startCachingServers({ create }: TestEngine) {
  const place = await create();
  const environment = { INNKEEP_RATE_LIMITS: "off" };
  const start = (database = place) => startService({ database, secret, environment });
  const server = await start();
  const witness = await start({
    ...place,
    open: async (options) => ({ ...(await place.open(options)), caches: false }),
  });
  const all = [server, witness];
  // No day ends while the test runs.
  for (const { clock } of all) clock.setOffset(noon - Date.now());
  return {
    server,
    witness,
    /** Moves all clocks. */
    later(milliseconds: number): void {
      for (const { clock } of all) clock.advance(milliseconds);
    },
    async stop(): Promise<void> {
      await Promise.all(all.map((server) => server.stop()));
      await place.remove();
    },
  };
}
