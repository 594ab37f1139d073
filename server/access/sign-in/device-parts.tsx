import type { ApiError } from "../../../src/contract/errors.ts";
import { showErrorPage } from "../../console/error-page.tsx";
import { IdempotencyField } from "../../console/forms.tsx";
import { BarePage } from "../../console/layout.tsx";
import type { Links } from "../../console/links.ts";
import type { Reply } from "../../console/reply.ts";

/** The words of the error pages of one kind of sign-in. */
export interface ErrorWords {
  readonly bad_redirect: string;
  readonly bad_request: string;
  readonly text: string;
}

/** Why a device is not signed in. Nothing that it sent is shown, and the browser is not redirected to its address. */
export const showDeviceSignInError = (links: Links, error: ApiError, requestId: string): Reply =>
  showRequestError(links, { error, requestId }, ofDevices);

const ofDevices: ErrorWords = {
  bad_redirect: "This sign-in leads to an unknown address",
  bad_request: "This sign-in is not complete",
  text: "The app or terminal that sent you here sent a wrong request, so nobody was signed in. Update it, or send its developers the message below.",
};

/** Why the request of a program was refused, in words for the person whose browser it opened. */
export function showRequestError(
  links: Links,
  { error, requestId }: { readonly error: ApiError; readonly requestId: string },
  words: ErrorWords,
): Reply {
  const { code } = error;
  const title = code === "bad_redirect" || code === "bad_request" ? words[code] : undefined;
  if (title === undefined) return showErrorPage(links, error, { requestId, typed: [] });
  const { issues = [] } = error.details;
  return {
    status: error.status,
    document: (
      <BarePage links={links} title={title}>
        <div class="card stack">
          <h1>{title}</h1>
          <p>{words.text}</p>
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

/** A button that signs the browser out and leads back to `to` after another sign-in. */
export const SwitchAccount = ({ action, to }: { readonly action: string; readonly to: string }) => (
  <form method="post" action={action}>
    <IdempotencyField />
    <input type="hidden" name="to" value={to} />
    <button class="quiet small" type="submit">
      Use another
    </button>
  </form>
);
