import type { Invocation } from "../core/context.ts";
import type { Proof } from "./proof.ts";
import { type Spool, spoolOf } from "./spool.ts";
import type { Kind } from "./spooled-item.ts";
import { placeOf, storedProof, storedProofText } from "./stored-proof.lazy.ts";

const proofs: Kind<Proof> = {
  word: "proof",
  noun: "proof",
  folder: "proofs",
  filesOf: ({ images }) => images.map((file, at) => ({ place: placeOf(at), file })),
  textOf: storedProofText,
  itemIn: storedProof,
};

/** The proofs that wait until a server has them. */
export const openProofSpool = (invocation: Invocation): Spool<Proof> => spoolOf(invocation, proofs);
