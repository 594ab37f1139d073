import type { BrowserContextOptions, Page } from "playwright-core";
import type { Service } from "../service/service.ts";
import type { TestBrowser } from "./browser.ts";

/** A page in a fresh profile, signed in if `headers` contain the cookie of a session. */
export async function openPage(
  browser: TestBrowser,
  { baseUrl }: Pick<Service, "baseUrl">,
  headers: { readonly cookie?: string } = {},
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext({ baseURL: baseUrl, ...options });
  const [name = "", value = ""] = headers.cookie?.split("=") ?? [];
  if (value !== "") await context.addCookies([{ name, value, url: baseUrl }]);
  return context.newPage();
}
