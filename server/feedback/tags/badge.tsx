import type { ThreadTag } from "../../../src/contract/tags.ts";
import { Line } from "../../console/text.tsx";

/** A tag as it stands on a thread. */
export const TagBadge = ({ tag: { name, colour } }: { readonly tag: Omit<ThreadTag, "id"> }) => (
  <span class={`badge tag ${colour ?? "grey"}`}>
    <Line text={name} />
  </span>
);
