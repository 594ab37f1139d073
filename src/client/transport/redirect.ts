import { UnexpectedAnswerError } from "../errors.ts";
import type { Transport, WireAnswer, WireRequest } from "./wire.ts";

const most = 5;

/**
 * Follows redirects within one origin, because a credential must never reach another one. A mutation is repeated
 * only if the status keeps the method (307, 308). Throws an UnexpectedAnswerError for any other redirect.
 */
export function followingRedirects(transport: Transport): Transport {
  return async (first) => {
    let request = first;
    for (let hops = 0; hops <= most; hops += 1) {
      const answer = await transport(request);
      const target = targetOf(answer, request);
      if (!target) return answer;
      request = { ...request, url: target };
    }
    throw new UnexpectedAnswerError(310, `${first.url.origin} redirects in circles.`);
  };
}

function targetOf({ status, headers }: WireAnswer, { method, url }: WireRequest): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || !headers.location) return undefined;
  const target = URL.canParse(headers.location, url.href) ? new URL(headers.location, url) : undefined;
  if (target?.origin !== url.origin) throw refusal(status, url, target?.origin ?? "a malformed address");
  if (method !== "GET" && status < 307) throw refusal(status, url, `${target.origin}${target.pathname}`);
  return target;
}

const refusal = (status: number, { origin }: URL, to: string) =>
  new UnexpectedAnswerError(
    status,
    `${origin} redirects to ${to}, and credentials do not follow there. If that is the server, make it the base URL.`,
  );
