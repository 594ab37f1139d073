/** The packages that FAQ files need. The build keeps them in a file of its own: most commands do not need it. */
export { structuredPatch } from "diff";
export { type Document, isMap, isSeq, parseDocument, stringify } from "yaml";
