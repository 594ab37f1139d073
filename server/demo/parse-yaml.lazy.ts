import { parse } from "yaml";

/** Parses a YAML text. The parser loads slowly, so other modules import this file only when needed. */
export const parseYaml = (text: string): unknown => parse(text);
