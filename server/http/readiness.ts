import { timingSafeEqual } from "node:crypto";
import { statfs } from "node:fs/promises";
import { ApiError } from "../../src/contract/errors.ts";
import { ping } from "../database/ping.ts";
import { isTooLong, longLog } from "../database/sqlite/copied-log.ts";
import type { Deps } from "../deps.ts";
import { hashOf } from "../secrets/secrets.ts";
import type { Metrics } from "./metrics.ts";

const leastFreeBytes = 64 * 1_048_576;

/** Checks that the database answers and the disk has room. Returns warnings for the operator. Throws `busy` if it is not ready. */
export async function checkReady({
  database,
  settings,
}: Pick<Deps, "database" | "settings">): Promise<string[]> {
  await ping(database);
  const disk = await statfs(settings.data);
  if (disk.bavail * disk.bsize < leastFreeBytes) {
    throw new ApiError("busy", { message: "The disk is nearly full.", retryAfterSeconds: 60 });
  }
  const isLong = settings.litestream && isTooLong((await database.log?.bytes()) ?? 0);
  return isLong ? [longLog] : [];
}

/**
 * Gives the metrics to a bearer of the deployment's metrics token. Throws `not_found` for everyone else, and if no token
 * is set.
 */
export async function readMetrics(
  metrics: Metrics,
  authorization: string | undefined,
  { settings }: Pick<Deps, "settings">,
) {
  if (!mayRead(authorization, settings.metricsToken)) throw new ApiError("not_found");
  return metrics.text();
}

function mayRead(authorization: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return false;
  return timingSafeEqual(Buffer.from(hashOf(`Bearer ${token}`)), Buffer.from(hashOf(authorization ?? "")));
}
