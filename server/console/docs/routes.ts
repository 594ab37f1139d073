import { ApiError } from "../../../src/contract/errors.ts";
import type { Route } from "../../http/mount.ts";
import type { ReadOpenApi } from "../../http/operations/open-api.ts";
import { onFirstUse } from "../../on-first-use.ts";
import type { Settings } from "../../settings/settings.ts";
import { consolePathOf } from "../console-path.ts";
import { renderInTurns } from "../kit/layout/in-turns.tsx";
import { createLinks } from "../links.ts";
import { pageHeaders } from "../respond.ts";
import { operationJsonOf, operationsOf } from "./operations.ts";
import { Docs } from "./page.tsx";

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
