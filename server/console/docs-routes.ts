import { ApiError } from "../../src/contract/errors.ts";
import type { Route } from "../http/mount.ts";
import { onFirstUse } from "../http/on-first-use.ts";
import type { ReadOpenApi } from "../http/open-api.ts";
import type { Settings } from "../settings/settings.ts";
import { Docs } from "./api-docs.tsx";
import { operationJsonOf, operationsOf } from "./api-operations.ts";
import { consolePathOf } from "./console-path.ts";
import { renderInTurns } from "./in-turns.tsx";
import { createLinks } from "./links.ts";
import { pageHeaders } from "./respond.ts";

/** The page of the API, and the JSON of each of its operations. */
export function docsRoutes(
  settings: Pick<Settings, "baseUrl" | "consoleUrl">,
  readOpenApi: ReadOpenApi,
): Route[] {
  const { baseUrl } = settings;
  const page = onFirstUse(async () => {
    const links = createLinks(consolePathOf(settings).href);
    const operations = await operationsOf(await readOpenApi());
    return renderInTurns(Docs({ links, baseUrl, operations }));
  });
  const headers = pageHeaders(settings, "'none'");
  return [
    {
      method: "GET",
      path: "/api/v1/docs",
      async answer(ctx) {
        ctx.set(headers);
        ctx.type = "text/html; charset=utf-8";
        ctx.body = await page();
      },
    },
    {
      method: "GET",
      path: "/api/v1/docs/:operationId",
      async answer(ctx, { operationId }) {
        const operation = operationJsonOf(await readOpenApi(), operationId ?? "");
        if (operation === undefined) throw new ApiError("not_found");
        ctx.type = "application/json; charset=utf-8";
        ctx.body = `${JSON.stringify(operation, undefined, 2)}\n`;
      },
    },
  ];
}
