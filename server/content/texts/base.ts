import { hash } from "node:crypto";
import { type Content, storedContent } from "./drafts-rules.ts";

/** Returns a value that identifies a text of the default language. Its translations store this value. */
export const baseOf = (content: Content): string => hash("sha256", storedContent(content)).slice(0, 16);
