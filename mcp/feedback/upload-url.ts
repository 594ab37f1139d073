/** The address of an uploaded file on the configured server; null for any other value. */
export function uploadUrl(address: string, baseUrl: string): URL | null {
  if (!URL.canParse(address) || !URL.canParse(baseUrl)) return null;
  const url = new URL(address);
  const base = new URL(baseUrl);
  const folder = `${base.pathname.replace(/\/$/, "")}/uploads/`;
  const isOurs = url.origin === base.origin && url.pathname.startsWith(folder) && url.username === "";
  return isOurs && !/%2f|%5c/i.test(url.pathname) ? url : null;
}
