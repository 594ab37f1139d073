import { mostCounted } from "../../../routes/page-reads.ts";

/** A number of things that are counted only so far: `99+` if there are more. */
export const counted = (count: number): string => (count > mostCounted ? `${mostCounted}+` : String(count));
