import type { Context } from "koa";
import type { Deps } from "../deps.ts";
import { waitIfTurnIsLong } from "../event-loop.ts";
import { serverVersion } from "../version.ts";
import { matchesEtag, prepareAnswer } from "./answers.ts";
import type { Metrics } from "./metrics.ts";
import type { Route } from "./mount.ts";
import { onFirstUse } from "./on-first-use.ts";
import type { ReadOpenApi } from "./open-api.ts";
import { checkReady, readMetrics } from "./readiness.ts";

/** The routes for operators and tools: health, readiness, metrics, and the OpenAPI document. */
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
