import type { RawRequest } from "../network/ask-raw.ts";
import { fc } from "../property.ts";

/** An address that somebody may read, with the headers of a credential for it. */
export interface Readable {
  readonly path: string;
  readonly credential: Readonly<Record<string, string>>;
}

/** The description of a request: its address, and the form of its bytes. */
export interface Wanted {
  /** Positions in lists, which may be longer or shorter than these numbers. */
  readonly address: number;
  readonly credential: number;
  readonly query: string;
  readonly method: string;
  readonly target: (path: string) => string;
  readonly headers: (name: string) => string;
  readonly more: (etag: string) => readonly string[];
  readonly version: string;
  readonly times: number;
}

const mostly = <Value>(usual: Value, ...others: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(usual, ...others) },
  );

const nothing = (): readonly string[] => [];

/** Normal requests, and requests that differ from them in every way that HTTP allows. */
export const wantedRequests: fc.Arbitrary<Wanted> = fc.record({
  address: fc.nat(99),
  credential: mostly(0, 1, 2, 3),
  query: mostly(
    "",
    "?",
    "?limit=1",
    "?limit=2",
    "?limit=0",
    "?since=1.0.0",
    "?limit=1&limit=2",
    "?x=1",
    "?day=1",
    "?wait=0",
    "?since=%31",
  ),
  method: mostly("GET", "HEAD", "OPTIONS", "POST", "DELETE", "get"),
  target: mostly<Wanted["target"]>(
    (path) => path,
    (path) => `http://x${path}`,
    (path) => `/${path}`,
    (path) => `${path}/`,
    (path) => path.toUpperCase(),
    (path) => path.replace("/api", "/%61pi"),
    (path) => path.slice(0, -1),
    (path) => `${path}#x`,
    (path) => path.replace("/v1/", "/v1/./"),
  ),
  headers: mostly<Wanted["headers"]>(
    (name) => name,
    (name) => name.toUpperCase(),
    (name) => name.replace(/^./, (first) => first.toUpperCase()),
  ),
  more: fc.oneof(
    { weight: 6, arbitrary: fc.constant(nothing) },
    { weight: 4, arbitrary: fc.constantFrom(...unusualHeaders()) },
  ),
  version: mostly("1.1", "1.0"),
  times: mostly(1, 2),
});

/** Header lines besides the host and the credential. */
function unusualHeaders(): ((etag: string) => readonly string[])[] {
  return [
    (etag) => [`If-None-Match: ${etag}`],
    (etag) => [`If-None-Match: W/${etag}, "other"`],
    (etag) => [`If-None-Match: ${etag}`, 'If-None-Match: "other"'],
    () => ["If-None-Match: *"],
    () => ['if-none-match: "other"', "Cache-Control: no-cache"],
    () => ["If-None-Match:"],
    () => ['If-Match: "other"'],
    () => ["If-Modified-Since: Mon, 23 Nov 2026 00:00:00 GMT", "Range: bytes=0-3"],
    () => ["Connection: close"],
    () => ["Connection: keep-alive", "Accept: text/html", "Accept-Encoding: gzip"],
    () => ["Connection: Upgrade", "Upgrade: websocket"],
    () => ["Origin: https://app.example", "Access-Control-Request-Method: GET"],
    () => ["Origin: null"],
    () => ["Cookie: innkeep=x; innkeep-known=y"],
    () => ["Content-Length: 0"],
    () => ["Transfer-Encoding: chunked", "X-Body: chunks"],
    () => ["Host: other"],
    () => ["X-Forwarded-For: 192.0.2.1", "X-Request-Id: mine"],
    () => ["X-Api-Key: sdk_other"],
    () => ["Authorization: Bearer sda_other"],
    () => ["Expect: something"],
    () => ["X-HTTP-Method-Override: DELETE", "Idempotency-Key: once"],
  ];
}

/** The bytes of a request for one of these addresses. */
export function bytesOf(wanted: Wanted, { path, credential }: Readable, etag: string): RawRequest {
  const { method, target, headers, more, version, times, query } = wanted;
  const lines = [
    `${method} ${target(path)}${path.includes("?") ? query.replace("?", "&") : query} HTTP/${version}`,
    "Host: x",
    ...Object.entries(credential).map(([name, value]) => `${headers(name)}: ${value}`),
    ...more(etag),
  ];
  const hasChunks = lines.includes("Transfer-Encoding: chunked");
  const bytes = `${lines.join("\r\n")}\r\n\r\n${hasChunks ? "0\r\n\r\n" : ""}`;
  // After these, it is random whether another request of the same connection is answered.
  const isLast = version === "1.0" || lines.some((line) => /^(Connection: close|Upgrade|Expect)/.test(line));
  const count = isLast ? 1 : times;
  return { bytes: bytes.repeat(count), methods: Array.from({ length: count }, () => method) };
}
