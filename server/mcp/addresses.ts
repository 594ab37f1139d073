import type { Settings } from "../settings/settings.ts";

/** Where requests for the tools arrive. */
export const mcpPath = "/mcp";

const loopbackHost = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;
const hostForm = /^[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/;

/**
 * Whether a request names this server in its `Host` header. Names of loopback are allowed too, because a proxy may send
 * them, and no page of another site can have them. (rule A41)
 */
export function isOwnHost(
  host: string | undefined,
  { baseUrl, consoleUrl }: Pick<Settings, "baseUrl" | "consoleUrl">,
): boolean {
  const given = host?.toLowerCase() ?? "";
  if (loopbackHost.test(given)) return true;
  return hostForm.test(given) && [baseUrl, consoleUrl].some((url) => isHostOf(given, new URL(url)));
}

/** The port that belongs to the protocol may be written or not. */
const isHostOf = (given: string, { protocol, host }: URL): boolean =>
  URL.canParse(`${protocol}//${given}`) && new URL(`${protocol}//${given}`).host === host;

/** Whether the page that sent a request may do so. Programs that are no browsers send no `Origin`. */
export const isAllowedOrigin = (
  origin: string | undefined,
  { baseUrl, consoleUrl, corsOrigins }: Pick<Settings, "baseUrl" | "consoleUrl" | "corsOrigins">,
): boolean =>
  origin === undefined ||
  corsOrigins.includes(origin) ||
  [baseUrl, consoleUrl].some((url) => new URL(url).origin === origin);
