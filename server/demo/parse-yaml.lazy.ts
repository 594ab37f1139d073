import { parse } from "yaml";

/** Returns the value of a YAML text. The parser is slow to load: import this file only when it is needed. */
export const parseYaml = (text: string): unknown => parse(text);
