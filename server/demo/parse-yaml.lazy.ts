import { parse } from "yaml";

/** The value of a YAML text. The parser is slow to load: import this file when it is needed. */
export const parseYaml = (text: string): unknown => parse(text);
