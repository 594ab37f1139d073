/** The packages of the FAQ commands. The build puts them into a separate file, which other commands do not load. */
export { structuredPatch } from "diff";
export { type Document, isMap, isSeq, parseDocument, stringify } from "yaml";
