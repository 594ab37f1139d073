import { credentialFor, credentialHeader } from "../../client/credential-kinds.ts";
import type { PreparedRequest } from "../../client/options.ts";
import { redactBody, redactHeaders, redactUrl } from "../../client/redact.ts";
import type { Route } from "../../client/routes.ts";

/** Thrown instead of sending a request: `--dry-run` prints the request and ends the command. */
export class DryRun extends Error {
  readonly request: RequestView;

  constructor(request: RequestView) {
    super("dry run");
    this.name = "DryRun";
    this.request = request;
  }
}

/** A request to print, without secrets and without the content of files. */
export interface RequestView {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export function viewOf({ method, url, headers, body }: PreparedRequest, { auth }: Route): RequestView {
  const kind = credentialFor(auth);
  const sent = { ...headers, ...(kind && credentialHeader(kind, "")) };
  return { method, url: redactUrl(url), headers: redactHeaders(sent), body: bodyView(body) };
}

/** Returns the request as text, in the form of HTTP. */
export function textOfRequest({ method, url, headers, body }: RequestView): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const text = body === null ? [] : ["", typeof body === "string" ? body : JSON.stringify(body, null, 2)];
  return [`${method} ${url}`, ...lines, ...text].join("\n");
}

function bodyView(body: PreparedRequest["body"]): unknown {
  if (body === undefined) return null;
  if (typeof body === "object") return body.view ?? `<${body.mediaType}, ${body.bytes} bytes>`;
  return JSON.parse(redactBody(body));
}
