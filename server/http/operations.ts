import { timingSafeEqual } from "node:crypto";
import { statfs } from "node:fs/promises";
import type { Context } from "koa";
import { ApiError } from "../../src/contract/errors.ts";
import { createOpenApi } from "../../src/openapi/document.ts";
import { isTooLong, longLog } from "../database/sqlite.ts";
import { ping } from "../database/transaction.ts";
import type { Deps } from "../deps.ts";
import { waitIfTurnIsLong } from "../event-loop.ts";
import { hashOf } from "../secrets/secrets.ts";
import type { Settings } from "../settings/settings.ts";
import { serverVersion } from "../version.ts";
import { matchesEtag, prepareAnswer } from "./answers.ts";
import type { Metrics } from "./listener.ts";
import type { Route } from "./pipeline.ts";

/** Returns the routes for operators and tools: health, readiness, metrics, and the OpenAPI document. (rule O6) */
export function operationsRoutes(
  deps: Pick<Deps, "database" | "settings">,
  metrics: Metrics,
  readOpenApi: ReadOpenApi,
): Route[] {
  const prepared = onFirstUse(async () => {
    const document = await readOpenApi();
    await waitIfTurnIsLong();
    return prepareAnswer(JSON.stringify(document));
  });
  return [
    read("/healthz", async (ctx) => {
      ctx.body = { status: "ok", version: serverVersion };
    }),
    read("/readyz", async (ctx) => {
      const warnings = await checkReady(deps);
      ctx.body = { status: "ready", ...(warnings.length > 0 ? { warnings } : {}) };
    }),
    read("/metrics", async (ctx) => {
      ctx.body = await readMetrics(metrics, ctx.req.headers.authorization, deps);
      ctx.set("Content-Type", metrics.contentType);
    }),
    read("/api/v1/openapi.json", async (ctx) => {
      const openApi = await prepared();
      ctx.set("ETag", openApi.etag);
      ctx.set("Content-Type", "application/json; charset=utf-8");
      ctx.body = openApi.body;
      if (matchesEtag(ctx.get("If-None-Match"), openApi.etag)) ctx.status = 304;
    }),
  ];
}

const read = (path: string, answer: (ctx: Context) => Promise<void>): Route => ({
  method: "GET",
  path,
  answer,
});

const leastFreeBytes = 64 * 1_048_576;

/** Returns warnings for the operator. Throws `busy` if the database does not answer or the disk is nearly full. */
async function checkReady({ database, settings }: Pick<Deps, "database" | "settings">): Promise<string[]> {
  await ping(database);
  const disk = await statfs(settings.data);
  if (disk.bavail * disk.bsize < leastFreeBytes) {
    throw new ApiError("busy", { message: "The disk is nearly full.", retryAfterSeconds: 60 });
  }
  const isLong = settings.litestream && isTooLong((await database.logBytes?.()) ?? 0);
  return isLong ? [longLog] : [];
}

/**
 * Returns the metrics. Throws `not_found` without the right metrics token, or if the deployment has no metrics token.
 */
async function readMetrics(
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

/** Returns the OpenAPI document of this server. */
export type ReadOpenApi = () => Promise<object>;

/**
 * Returns a function that creates the OpenAPI document at its first call. Most servers never need the document.
 */
export const createReadOpenApi = ({ baseUrl }: Pick<Settings, "baseUrl">): ReadOpenApi =>
  onFirstUse(() => createOpenApi(baseUrl, waitIfTurnIsLong));

/**
 * Returns a function that calls `make` at its first call and keeps the value. After a failure, the next call
 * tries again.
 */
export function onFirstUse<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
