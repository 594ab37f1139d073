import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type AdminCommand, runAdmin } from "../../../server/admin/main.ts";
import { openDatabase } from "../../../server/store/engine/open.ts";
import { postgres, type TestDatabase, type TestEngine } from "../database/databases.ts";
import { quickFolder } from "../files/quick-folder.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";

/** A data folder, and on PostgreSQL a database, as an operator has them. */
export interface Deployment {
  readonly data: string;
  readonly databaseUrl: string | undefined;
  admin(command: AdminCommand): Promise<Record<string, unknown>>;
  /** Starts a server on it. */
  serve(options?: Pick<ServiceOptions, "secret">): Promise<Service>;
  remove(): Promise<void>;
}

/** A new, empty deployment. */
export async function makeDeployment({ engine }: TestEngine): Promise<Deployment> {
  const data = await mkdtemp(join(quickFolder, "innkeep-data-"));
  const server = engine === "postgres" ? await postgres.createEmpty() : undefined;
  const databaseUrl = server && "url" in server.address ? server.address.url : undefined;
  const place = { data, databaseUrl };
  return {
    ...place,
    admin: (command) => runAdmin({ ...command, ...place }),
    serve: (options) => startService({ database: databaseAt(place), settings: { data }, ...options }),
    async remove() {
      await server?.remove();
      await rm(data, { recursive: true, force: true });
    },
  };
}

function databaseAt({ data, databaseUrl }: Pick<Deployment, "data" | "databaseUrl">): TestDatabase {
  const address = databaseUrl === undefined ? { file: join(data, "innkeep.db") } : { url: databaseUrl };
  return { address, open: (options) => openDatabase(address, options), remove: async () => {} };
}
