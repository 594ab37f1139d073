/** The packages that FAQ files need. The build puts them into a separate file, because most commands do not need them. */
export { structuredPatch } from "diff";
export { type Document, isMap, isSeq, parseDocument, stringify } from "yaml";
