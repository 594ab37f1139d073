import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { ApiError } from "../../../src/contract/errors.ts";
import type { Route } from "../../http/mount.ts";
import type { Settings } from "../../settings/settings.ts";
import { consolePathOf } from "../console-path.ts";
import { createLinks } from "../links.ts";
import { pageHeaders } from "../respond.ts";
import { operationsOf } from "./operations.ts";
import { Docs } from "./page.tsx";

/** The page of the API, and the JSON of each of its operations. */
export function docsRoutes(settings: Pick<Settings, "baseUrl" | "consoleUrl">): Route[] {
  const { baseUrl } = settings;
  const page = onFirstUse(() => {
    const links = createLinks(consolePathOf(settings).href);
    const operations = operationsOf(baseUrl);
    return `<!doctype html>${renderToString(h(Docs, { links, baseUrl, operations }))}`;
  });
  const headers = pageHeaders(settings, "'none'");
  return [
    {
      method: "GET",
      path: "/api/v1/docs",
      async answer(ctx) {
        ctx.set(headers);
        ctx.type = "text/html; charset=utf-8";
        ctx.body = page();
      },
    },
    {
      method: "GET",
      path: "/api/v1/docs/:operationId",
      async answer(ctx, { operationId }) {
        const found = operationsOf(baseUrl).find((operation) => operation.operationId === operationId);
        if (!found) throw new ApiError("not_found");
        ctx.type = "application/json; charset=utf-8";
        ctx.body = `${JSON.stringify({ [found.path]: { [found.method.toLowerCase()]: found.json } }, undefined, 2)}\n`;
      },
    },
  ];
}

/** Makes a value on first use and keeps it. */
function onFirstUse<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
