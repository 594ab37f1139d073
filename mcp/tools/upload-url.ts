/**
 * The address of an uploaded file on the configured server; null for any other value. Its name is a plain word, as the
 * server makes it: no text of a stranger stands in it.
 */
export function uploadUrl(address: string, baseUrl: string): URL | null {
  if (!URL.canParse(address) || !URL.canParse(baseUrl)) return null;
  const url = new URL(address);
  const base = new URL(baseUrl);
  const folder = `${base.pathname.replace(/\/$/, "")}/uploads/`;
  if (url.origin !== base.origin || !url.pathname.startsWith(folder) || url.username !== "") return null;
  return /^[\w./-]{1,200}$/.test(url.pathname.slice(folder.length)) ? withoutRest(url) : null;
}

const withoutRest = ({ origin, pathname }: URL): URL => new URL(pathname, origin);
