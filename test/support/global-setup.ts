import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { startPostgresCluster } from "./postgres/postgres-cluster.ts";
import { chooseSeed } from "./random-seed.ts";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

/** One seed and one PostgreSQL for the whole run; each test file makes its own databases in it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  chooseSeed();
  const cluster = await startPostgresCluster({ durable: false });
  project.provide("postgresUrl", cluster.url);
  return () => cluster.remove();
}
