import type { ThreadTag } from "../../../../src/contract/console/triage/tags.ts";
import { Line } from "../../kit/display/user-text.tsx";

/** A tag as it stands on a thread. */
export const TagBadge = ({ tag: { name, colour } }: { readonly tag: Omit<ThreadTag, "id"> }) => (
  <span class={`badge tag ${colour ?? "grey"}`}>
    <Line text={name} />
  </span>
);
