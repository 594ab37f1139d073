import type { Route } from "../http/mount.ts";
import { assets } from "./assets.ts";
import type { Links } from "./links.ts";

/** Style, script and icon, at addresses that change with their content. */
export const assetRoutes = (at: Links): Route[] =>
  Object.values(assets).map(({ name, type, body }) => ({
    method: "GET",
    path: at.asset(name),
    async answer(ctx) {
      ctx.set("Cache-Control", "public, max-age=31536000, immutable");
      ctx.set("Cross-Origin-Resource-Policy", "same-origin");
      ctx.set("Content-Security-Policy", "default-src 'none'");
      ctx.set("Content-Type", type);
      ctx.body = body;
    },
  }));
