/**
 * A browser without scripts that keeps cookies and follows redirects to other hosts, as in a sign-in with another site.
 */
export interface BrowserWithCookies {
  /** One request; redirects are not followed. */
  step(address: string, sending?: RequestInit): Promise<Stop>;
  /** Follows redirects until a page is shown. */
  go(address: string): Promise<Stop>;
  /** Sends a form. */
  send(address: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Stop>;
  /** The value of a cookie; undefined without one. */
  cookie(name: string): string | undefined;
  setCookie(name: string, value: string): void;
}

export interface Stop {
  readonly address: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The redirect's target as an absolute address; empty without a redirect. */
  readonly location: string;
}

/** `cookies` are those that the browser already has. */
export function createBrowserWithCookies(cookies: Record<string, string> = {}): BrowserWithCookies {
  const jar = new Map(Object.entries(cookies));
  const step = async (address: string, { headers, ...sending }: RequestInit = {}): Promise<Stop> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(address, {
      ...sending,
      headers: { accept: "text/html", cookie, ...Object.fromEntries(new Headers(headers)) },
      redirect: "manual",
    });
    for (const line of response.headers.getSetCookie()) keep(jar, line);
    const to = response.headers.get("location");
    return {
      address,
      status: response.status,
      headers: response.headers,
      text: await response.text(),
      location: to === null ? "" : new URL(to, address).href,
    };
  };
  const go = async (address: string): Promise<Stop> => {
    const stop = await step(address);
    return stop.location === "" ? stop : go(stop.location);
  };
  return {
    step,
    go,
    send: (address, fields, headers = { origin: new URL(address).origin }) =>
      step(address, { method: "POST", body: new URLSearchParams(fields), headers }),
    cookie: (name) => jar.get(name),
    setCookie: (name, value) => void jar.set(name, value),
  };
}

function keep(jar: Map<string, string>, line: string): void {
  const [pair = "", ...traits] = line.split(";");
  const at = pair.indexOf("=");
  const [name, value] = [pair.slice(0, at).trim(), pair.slice(at + 1)];
  const gone = traits.some((trait) => /^\s*(max-age=0|expires=thu, 01 jan 1970)/i.test(trait));
  if (gone) jar.delete(name);
  else jar.set(name, value);
}
