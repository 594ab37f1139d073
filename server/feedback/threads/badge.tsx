import type { ThreadTag } from "../../../src/contract/tags.ts";
import { Line } from "../../console/parts.tsx";

/** The tag of a thread, in its colour. */
export const TagBadge = ({ tag: { name, colour } }: { readonly tag: Omit<ThreadTag, "id"> }) => (
  <span class={`badge tag ${colour ?? "grey"}`}>
    <Line text={name} />
  </span>
);
