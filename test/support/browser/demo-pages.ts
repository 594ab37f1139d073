import { users } from "../../../server/access/accounts/store.ts";
import { seedDemo } from "../../../server/demo/seed-demo.ts";
import type { Answer } from "../service/request.ts";
import type { Service } from "../service/service.ts";
import { type BrowserWithoutScripts, createBrowserWithoutScripts } from "./browser-without-scripts.ts";

/** The owner of the demo in a browser, and the demo's app. */
export async function openDemo(service: Service) {
  const { appId, email } = await seedDemo(service.deps);
  const owner = await users.findByEmail(service.deps.database, email);
  const headers = await service.signIn({ id: owner?.id ?? "" });
  return { appId, headers, visitor: createBrowserWithoutScripts(service, headers) };
}

/** Every page of the console with a link to it, once for each kind of address, by its path. */
export async function everyPage(
  { baseUrl }: Service,
  visitor: BrowserWithoutScripts,
): Promise<Map<string, Answer>> {
  const pages = new Map<string, Answer>();
  const kinds = new Set<string>();
  const ahead = ["/console"];
  for (let path = ahead.shift(); path !== undefined; path = ahead.shift()) {
    if (kinds.has(kindOf(path))) continue;
    kinds.add(kindOf(path));
    const page = await visitor.open(path);
    // A download is not a page.
    if (!page.headers.get("content-type")?.startsWith("text/html")) continue;
    pages.set(path, page);
    for (const [, href = ""] of page.text.matchAll(/<a\b[^>]*\shref="([^"]*)"/g)) {
      const to = new URL(href.replaceAll("&amp;", "&"), `${baseUrl}${path}`);
      if (to.origin === baseUrl && to.pathname.startsWith("/console")) ahead.push(to.pathname + to.search);
    }
  }
  return pages;
}

/** A path without ids and values: pages of the same kind differ only in these. */
const kindOf = (path: string): string =>
  path.replace(/[\da-f]{8}-[\da-f-]{27}/g, "…").replace(/=[^&]*/g, "=");
