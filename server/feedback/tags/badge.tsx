import type { ThreadTag } from "../../../src/contract/tags.ts";
import { Line } from "../../console/parts.tsx";

/** A tag of a thread. */
export const TagBadge = ({ tag: { name, colour } }: { readonly tag: Omit<ThreadTag, "id"> }) => (
  <span class={`badge tag ${colour ?? "grey"}`}>
    <Line text={name} />
  </span>
);
