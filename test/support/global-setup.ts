import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type {} from "vitest";
import type { TestProject } from "vitest/node";
import { type MigratedTemplates, makeTemplates } from "./database/migrated-templates.ts";
import { quickFolder } from "./files/quick-folder.ts";
import { startPostgresCluster } from "./postgres/postgres-cluster.ts";
import { chooseSeed } from "./random-seed.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The engines that `databases` has in this group of tests. */
    engines: ("sqlite" | "postgres")[];
    postgresUrl: string;
    templates: MigratedTemplates;
  }
}

/** `npm run test:only` builds while PostgreSQL starts, if anything has changed. */
const isBuilding = process.env.npm_lifecycle_event === "test:only";

/**
 * One seed for the whole run, and one PostgreSQL if a group of tests needs it. Each test file creates its own databases
 * in it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  chooseSeed();
  const build = isBuilding && promisify(execFile)(process.execPath, ["build/if-changed.mjs"]);
  const needsPostgres = project.vitest.projects.some(({ config }) =>
    config.provide.engines?.includes("postgres"),
  );
  const cluster = needsPostgres
    ? await startPostgresCluster({ durable: false, parent: quickFolder })
    : undefined;
  const { remove, ...templates } = await makeTemplates(cluster?.url);
  project.provide("postgresUrl", cluster?.url ?? "");
  project.provide("templates", templates);
  await build;
  return async () => {
    await remove();
    await cluster?.remove();
  };
}
