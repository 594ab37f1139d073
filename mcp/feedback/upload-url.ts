/** The address of an uploaded file, where it is one of the configured server; null for anything else. */
export function uploadUrl(address: string, baseUrl: string): URL | null {
  if (!URL.canParse(address) || !URL.canParse(baseUrl)) return null;
  const url = new URL(address);
  const base = new URL(baseUrl);
  const folder = `${base.pathname.replace(/\/$/, "")}/uploads/`;
  const isOurs = url.origin === base.origin && url.pathname.startsWith(folder) && url.username === "";
  return isOurs && !/%2f|%5c/i.test(url.pathname) ? url : null;
}
