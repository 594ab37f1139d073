import type { Sealer } from "./secrets.ts";

const marked = (email: string): string => `erased person\n${email}`;

/** The keyed hash by which a receipt names a person. The address must be normalised. */
export const personHash = ({ mark }: Pick<Sealer, "mark">, email: string): string => mark(marked(email));

/** Whether a hash is that of an address, also if it was made with an old secret. */
export const isPersonHash = ({ isMark }: Pick<Sealer, "isMark">, email: string, hash: string): boolean =>
  isMark(marked(email), hash);
