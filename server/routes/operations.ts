import { timingSafeEqual } from "node:crypto";
import { statfs } from "node:fs/promises";
import { ApiError } from "../../src/contract/errors.ts";
import { createOpenApi } from "../../src/contract/openapi/document.ts";
import type { Deps } from "../deps.ts";
import { type PreparedAnswer, prepareAnswer } from "../http/answers.ts";
import type { Metrics } from "../http/metrics.ts";
import { hashOf } from "../secrets.ts";
import { ping } from "../store/ping.ts";

const leastFreeBytes = 64 * 1_048_576;

/** Whether the server can serve: the database answers and the disk has room. Throws `busy` where not. */
export async function checkReady({ database, settings }: Pick<Deps, "database" | "settings">): Promise<void> {
  await ping(database);
  const disk = await statfs(settings.data);
  if (disk.bavail * disk.bsize < leastFreeBytes) {
    throw new ApiError("busy", { message: "The disk is nearly full.", retryAfterSeconds: 60 });
  }
}

/** The figures for whoever may see them: this machine, or the bearer of the operator's token. Else it does not exist. */
export async function readMetrics(metrics: Metrics, asking: Asking, { settings }: Pick<Deps, "settings">) {
  if (!mayRead(asking, settings.operatorToken)) throw new ApiError("not_found");
  return metrics.text();
}

export interface Asking {
  readonly loopback: boolean;
  readonly authorization: string | undefined;
}

/** The OpenAPI document of this server. */
export const readOpenApi = ({ settings }: Pick<Deps, "settings">): PreparedAnswer =>
  prepareAnswer(JSON.stringify(createOpenApi(settings.baseUrl)));

function mayRead({ loopback, authorization }: Asking, operatorToken: string | undefined): boolean {
  if (operatorToken === undefined) return loopback;
  return timingSafeEqual(
    Buffer.from(hashOf(`Bearer ${operatorToken}`)),
    Buffer.from(hashOf(authorization ?? "")),
  );
}
