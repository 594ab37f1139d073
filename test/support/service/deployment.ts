import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { type AdminCommand, runAdmin } from "../../../server/admin/main.ts";
import { openDatabase } from "../../../server/database/open.ts";
import type { AdminEnvironment } from "../../../src/programs.ts";
import { postgres, type TestDatabase, type TestEngine } from "../database/databases.ts";
import { quickFolder } from "../files/quick-folder.ts";
import { type Service, type ServiceOptions, startService } from "./service.ts";

/** A deployment of an operator: a data folder, and on PostgreSQL a database. */
export interface Deployment {
  readonly data: string;
  readonly databaseUrl: string | undefined;
  admin(command: AdminCommand & AdminEnvironment): Promise<Record<string, unknown>>;
  /** Starts a server with it. */
  serve(options?: Pick<ServiceOptions, "secret" | "environment">): Promise<Service>;
  remove(): Promise<void>;
}

/** A new, empty deployment. With the address of an S3 store, its files are there. */
export async function makeDeployment({ engine }: TestEngine, s3Url?: string): Promise<Deployment> {
  const data = await mkdtemp(join(quickFolder, "innkeep-data-"));
  const server = engine === "postgres" ? await postgres.createEmpty() : undefined;
  const databaseUrl = server && "url" in server.address ? server.address.url : undefined;
  const place = { data, databaseUrl };
  const s3 = { url: s3Url, accessKeyId: undefined, secretAccessKey: undefined };
  const environment: Record<string, string> = s3Url === undefined ? {} : { INNKEEP_S3_URL: s3Url };
  return {
    ...place,
    admin: (command) => runAdmin({ ...command, ...place, s3 }),
    serve: (options) =>
      startService({
        ...{ database: databaseAt(place), settings: { data }, ...options },
        environment: { ...environment, ...options?.environment },
      }),
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
