import { createHash } from "node:crypto";
import type { Route } from "../http/pipeline.ts";
import type { Settings } from "../settings/settings.ts";
import { dev, docs, script, style, worker } from "./browser/bundles.ts";
import { createLinks, type Links } from "./links.ts";

/** The routes of the style, the scripts and the icon. If a file changes, its address changes, too. */
export const assetRoutes = (at: Links): Route[] => [
  ...Object.values(assets).map(({ name, type, body }) =>
    fileRoute(at.asset(name), {
      ...{ type, body },
      cache: "public, max-age=31536000, immutable",
      policy: "default-src 'none'",
    }),
  ),
  // The address of the worker never changes, because browsers look there for a newer version.
  fileRoute(at.pushWorker, {
    ...{ type: "text/javascript; charset=utf-8", body: worker },
    cache: "no-cache",
    policy: "default-src 'none'; connect-src 'self'",
  }),
];

const fileRoute = (
  path: string,
  {
    type,
    body,
    cache,
    policy,
  }: {
    readonly type: string;
    readonly body: string;
    readonly cache: string;
    readonly policy: string;
  },
): Route => ({
  method: "GET",
  path,
  async answer(ctx) {
    ctx.set("Cache-Control", cache);
    ctx.set("Cross-Origin-Resource-Policy", "same-origin");
    ctx.set("Content-Security-Policy", policy);
    ctx.set("Content-Type", type);
    ctx.body = body;
  },
});

/** Returns the absolute address of the icon for apps that have no icon. */
export const iconUrlOf = ({ consoleUrl }: Pick<Settings, "consoleUrl">): string =>
  createLinks(consoleUrl).asset(assets.icon.name);

export interface Asset {
  /** The name in the address. It depends on the content, so browsers cache the file without a time limit. */
  readonly name: string;
  readonly type: string;
  readonly body: string;
}

/** The icon of the console: a bell. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#1c5f4d"/><path d="M7.6 21.2a8.4 8.4 0 0 1 16.8 0z" fill="#f5c45e"/><rect x="6" y="22.8" width="20" height="2.4" rx="1.2" fill="#fff"/><path d="M16 12.6v-2.2M13.4 9.4h5.2" stroke="#fff" stroke-width="2" stroke-linecap="round"/></svg>`;

export const assets = {
  style: asset("console.css", "text/css; charset=utf-8", style),
  script: asset("console.js", "text/javascript; charset=utf-8", script),
  docs: asset("docs.js", "text/javascript; charset=utf-8", docs),
  dev: asset("dev.js", "text/javascript; charset=utf-8", dev),
  icon: asset("icon.svg", "image/svg+xml", icon),
};

function asset(file: string, type: string, body: string): Asset {
  const hash = createHash("sha256").update(body).digest("hex").slice(0, 16);
  return { name: file.replace(".", `.${hash}.`), type, body };
}
