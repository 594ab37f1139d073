import type { Sealer } from "./secrets.ts";

const marked = (email: string): string => `erased person\n${email}`;

/** The keyed hash by which a receipt names a person. The address must be normalised. */
export const personHash = ({ mark }: Pick<Sealer, "mark">, email: string): string => mark(marked(email));

/** Whether a hash is that of an address, also if it was made with an old secret. */
export const isPersonHash = ({ isMark }: Pick<Sealer, "isMark">, email: string, hash: string): boolean =>
  isMark(marked(email), hash);

/** The hashes that receipts may have of an address: by the present secret and by old ones. */
export const personHashes = ({ marks }: Pick<Sealer, "marks">, email: string): readonly string[] =>
  marks(marked(email));

const ofSecret = "secret of erased people";

/** The mark of a secret. In an entry of the journal it shows with which secret the hash was made. */
export const secretMark = ({ mark }: Pick<Sealer, "mark">): string => mark(ofSecret);

export const isSecretMark = ({ isMark }: Pick<Sealer, "isMark">, mark: string): boolean =>
  isMark(ofSecret, mark);
