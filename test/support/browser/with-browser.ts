import { afterAll, beforeAll } from "vitest";
import { type Service, type ServiceOptions, startService } from "../service/service.ts";
import { startBrowser, type TestBrowser } from "./browser.ts";

/**
 * Registers the hooks of a file or a group of tests in a browser. Starts a server and a browser, calls `begin` with them
 * before the first test, and stops both after the last one.
 */
export function withBrowser(
  begin: (started: { readonly service: Service; readonly browser: TestBrowser }) => Promise<void> | void,
  options?: ServiceOptions,
): void {
  const stops: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const service = await startService(options);
    stops.push(() => service.stop());
    const browser = await startBrowser();
    stops.push(() => browser.close());
    await begin({ service, browser });
  });
  afterAll(async () => {
    for (const stop of stops.reverse()) await stop();
  });
}
