import type { ApiError } from "../../../src/contract/errors.ts";
import { Alone } from "../components/alone.tsx";
import type { Links } from "../links.ts";
import { type Reply, show } from "../reply.ts";

/** A page in the place of one that could not be shown. */
export const showRefusal = (links: Links, error: ApiError, requestId: string): Reply => {
  const { title, text } = wordsOf(error);
  return show(
    <Alone links={links} title={title}>
      <div class="card stack">
        <h1>{title}</h1>
        <p>{text}</p>
        {error.status === 500 && (
          <p class="muted small">
            Request <code>{requestId}</code>
          </p>
        )}
        <div class="actions">
          <a class="button" href={links.home}>
            To the console
          </a>
        </div>
      </div>
    </Alone>,
    error.status,
  );
};

function wordsOf({ code, message }: ApiError) {
  switch (code) {
    case "not_found":
      return {
        title: "Nothing here",
        text: "The address is wrong, what it named was deleted, or it belongs to another account.",
      };
    case "method_not_allowed":
      return { title: "Not a page", text: "Forms are sent to this address. There is nothing to see at it." };
    case "forbidden":
      return { title: "Not allowed", text: message };
    case "busy":
      return { title: "One moment", text: "The server is busy. Nothing was changed; try again shortly." };
    case "internal":
      return {
        title: "Something went wrong",
        text: "The fault is on this side. Quote the number below when you report it.",
      };
    default:
      return { title: "That did not work", text: message };
  }
}
