import type { Exchange } from "../../client/options.ts";
import { redactBody, redactHeaders, redactText, redactUrl } from "../../client/redact.ts";
import type { Context } from "./context.ts";
import { asLogged, printable } from "./plain-text.ts";

/** Writes each request and answer to standard error, without secrets and with files only named. */
export const debugTrace =
  ({ io, env }: Context) =>
  (exchange: Exchange): void =>
    io.stderr.write(`${asLogged(env, printable(linesOf(exchange).join("\n")))}\n`);

function linesOf({ request, answer, error, milliseconds }: Exchange): string[] {
  const { method, url, headers, body } = request;
  const sent = typeof body === "object" ? `<${body.mediaType}, ${body.bytes} bytes>` : redactBody(body ?? "");
  const received = answer
    ? [
        `< ${answer.status} (${milliseconds} ms)`,
        ...headerLines("<", answer.headers),
        ...some("<", redactBody(answer.text)),
      ]
    : [`< ${redactText(String(error))} (${milliseconds} ms)`];
  return [`> ${method} ${redactUrl(url)}`, ...headerLines(">", headers), ...some(">", sent), ...received];
}

const headerLines = (mark: string, headers: Readonly<Record<string, string | undefined>>): string[] =>
  Object.entries(redactHeaders(headers)).map(([name, value]) => `${mark} ${name}: ${value}`);

const some = (mark: string, text: string): string[] => (text === "" ? [] : [`${mark} ${text}`]);
