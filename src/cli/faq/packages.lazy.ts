/**
 * The packages that only the commands for FAQ files need. The build puts them into a separate file that other commands
 * do not load.
 */
export { structuredPatch } from "diff";
export { type Document, isMap, isSeq, parseDocument, stringify } from "yaml";
