import type { TestEngine } from "../../database/databases.ts";
import { type Service, startService } from "../../service/service.ts";

const secret = "the secret of one deployment, on each of its servers";
const noon = Date.parse("2026-06-01T12:00:00Z");

/** Servers of one database, and a witness, who remembers nothing: what it answers is what the database holds. */
export async function startRememberingServers({ engine, create }: TestEngine) {
  const place = await create();
  const environment = { INNKEEP_RATE_LIMITS: "off" };
  const start = (database = place) => startService({ database, secret, environment });
  // On SQLite one server writes.
  const servers: readonly Service[] =
    engine === "postgres" ? [await start(), await start()] : [await start()];
  const witness = await start({
    ...place,
    open: async (options) => ({ ...(await place.open(options)), memoryPeriod: () => undefined }),
  });
  const all = [...servers, witness];
  // No day ends while the test runs.
  for (const { clock } of all) clock.setOffset(noon - Date.now());
  return {
    servers,
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
