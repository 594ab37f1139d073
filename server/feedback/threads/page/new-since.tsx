import { counted } from "../../../console/counts.ts";
import { Timestamp } from "../../../console/timestamp.tsx";
import type { ThreadNews } from "../../unread/rules.ts";

/** What is new on the thread, and since when; undefined for a person who sees it for the first time. */
export interface NewSince {
  readonly since: string;
  readonly news: ThreadNews;
  /** Whether others changed its fields. */
  readonly edited: boolean;
}

/** Says above a thread what happened since the last visit, with a link to the first of it. */
export const NewSinceNotice = ({ fresh }: { readonly fresh: NewSince | undefined }) => {
  if (!fresh) return null;
  const { since, news, edited } = fresh;
  const words = [
    ...(news.messages > 0 ? [counted(news.messages, "new message")] : []),
    ...(news.decided ? ["a decision"] : []),
    ...(edited ? ["changed fields"] : []),
  ];
  if (words.length === 0) return null;
  const target = news.first === undefined ? "#proposal" : "#new";
  return (
    <p class="changes">
      <span>
        Since your last visit on <Timestamp at={since} />: {words.join(", ")}.
      </span>
      {(news.first !== undefined || news.decided) && <a href={target}>Go to what is new</a>}
    </p>
  );
};

/** Stands before the first new message. */
export const NewMark = ({ since }: { readonly since: string }) => (
  <li class="new-mark" id="new" tabIndex={-1}>
    <span>
      New since your last visit on <Timestamp at={since} />
    </span>
  </li>
);
