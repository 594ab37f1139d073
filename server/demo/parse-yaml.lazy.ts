import { parse } from "yaml";

/** Parses a YAML text. The parser is slow to load, so other modules import this file only when they need it. */
export const parseYaml = (text: string): unknown => parse(text);
