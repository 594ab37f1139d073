/** The values of HTTP_PROXY, HTTPS_PROXY and NO_PROXY. */
export interface ProxySettings {
  readonly http?: string;
  readonly https?: string;
  /** Hosts without a proxy, comma separated: `host`, `.domain`, `host:port`, `*`. */
  readonly none?: string;
}

/** The address of the proxy for a request; undefined for none. Requests to this machine never use a proxy. */
export function proxyFor(url: URL, settings: ProxySettings): string | undefined {
  const proxy = url.protocol === "https:" ? settings.https : settings.http;
  if (!proxy || isLoopback(url.hostname) || isExcepted(url, settings.none ?? "")) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** Whether a host is this machine. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\./.test(host);

const isExcepted = (url: URL, none: string): boolean =>
  none
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .some((entry) => entry === "*" || matches(url, entry.toLowerCase()));

function matches({ hostname, port, protocol }: URL, entry: string): boolean {
  const [, name = entry, wanted] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? [];
  if (wanted && wanted !== (port || (protocol === "https:" ? "443" : "80"))) return false;
  const domain = name.replace(/^\*?\./, "");
  return hostname === domain || hostname.endsWith(`.${domain}`);
}
