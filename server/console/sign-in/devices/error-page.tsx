import type { ApiError } from "../../../../src/contract/errors.ts";
import { BarePage } from "../../kit/layout/bare-page.tsx";
import type { Links } from "../../links.ts";
import { showErrorPage } from "../../pages/error/page.tsx";
import type { Reply } from "../../reply.ts";

/** Why a device is not signed in. Nothing that it sent is shown, and the browser is not redirected to its address. */
export function showDeviceSignInError(links: Links, error: ApiError, requestId: string): Reply {
  const title = titles.get(error.code);
  if (title === undefined) return showErrorPage(links, error, { requestId, typed: [] });
  const { issues = [] } = error.details;
  return {
    status: error.status,
    document: (
      <BarePage links={links} title={title}>
        <div class="card stack">
          <h1>{title}</h1>
          <p>
            The app or terminal that sent you here sent a wrong request, so nobody was signed in. Update it,
            or send its developers the message below.
          </p>
          {issues.length === 0 ? (
            <p class="muted">{error.message}</p>
          ) : (
            <ul class="stack tight muted">
              {issues.map(({ path, message }) => (
                <li key={path}>
                  <code>{path}</code> {message}
                </li>
              ))}
            </ul>
          )}
        </div>
      </BarePage>
    ),
  };
}

const titles = new Map([
  ["bad_redirect", "This sign-in leads to an unknown address"],
  ["bad_request", "This sign-in is not complete"],
]);
