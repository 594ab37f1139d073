import type { ApiError } from "../../src/contract/errors.ts";
import { BarePage } from "./bare-page.tsx";
import type { Links } from "./links.ts";
import { type Act, notDone } from "./notices.ts";
import { type Reply, show } from "./reply.ts";
import type { UnsavedText } from "./unsaved-text.ts";

/** What the error page shows about a request. */
export interface FailedRequest {
  readonly requestId: string;
  /** The unsaved texts in its form. */
  readonly typed: readonly UnsavedText[];
  /** What its form was for, if it was a form of the console. */
  readonly act?: Act | undefined;
  /** The page of its form; empty if that is not known. */
  readonly from?: string;
}

/** The page for an error. */
export const showErrorPage = (
  links: Links,
  error: ApiError,
  { requestId, typed, act, from = "" }: FailedRequest,
): Reply => {
  const { title, text } = wordsOf(error);
  return show(
    <BarePage links={links} title={title}>
      <div class="card stack">
        <h1>{title}</h1>
        <p>
          {/* After an error of the server it is not certain. */}
          {act && error.status !== 500 && <b>{notDone(act)} </b>}
          {text}
        </p>
        {error.status === 500 && (
          <p class="muted small">
            Request <code>{requestId}</code>
          </p>
        )}
        {typed.length > 0 && <TypedText typed={typed} />}
        <div class="actions">
          {from !== "" && (
            <a class="button" href={from}>
              Back to the page
            </a>
          )}
          <a class="button" href={links.home}>
            To the console
          </a>
        </div>
      </div>
    </BarePage>,
    error.status,
  );
};

/** Shows what was typed, so that it can be copied. */
const TypedText = ({ typed }: Pick<FailedRequest, "typed">) => (
  <section class="stack" aria-labelledby="typed">
    <h2 id="typed">What you had typed</h2>
    <p class="muted small">It was not saved. Copy it before you leave this page.</p>
    {typed.map(({ label, text }) => (
      <label class="field" key={`${label} ${text}`}>
        <span>{label}</span>
        <textarea class="short" readOnly>
          {`\n${text}`}
        </textarea>
      </label>
    ))}
  </section>
);

function wordsOf({ code, message }: ApiError) {
  switch (code) {
    case "not_found":
      return {
        title: "Nothing here",
        text: "The address is wrong, what it named was deleted, or it belongs to another account.",
      };
    case "method_not_allowed":
      return { title: "Not a page", text: "This address only receives forms. There is no page here." };
    case "forbidden":
      return { title: "Not allowed", text: message };
    case "busy":
      return { title: "One moment", text: "The server is busy. Nothing was changed; try again shortly." };
    case "internal":
      return {
        title: "Something went wrong",
        text: "The server made an error. Quote the number below when you report it.",
      };
    default:
      return { title: "That did not work", text: message };
  }
}
