import { hash } from "node:crypto";
import { type Content, storedContent } from "../drafts/rules.ts";

/** Identifies a text of the default language, for its translations. */
export const baseOf = (content: Content): string => hash("sha256", storedContent(content)).slice(0, 16);
