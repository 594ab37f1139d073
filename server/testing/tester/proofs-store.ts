import type { Transaction } from "../../database/database.ts";
import type { Added } from "../../database/schema/table.ts";
import * as tables from "../../database/schema/testing.ts";

/** The proofs of testers. The images of a proof are stored as uploads. */
export const proofs = {
  insert: (tx: Transaction, proof: Added<typeof tables.proofs>) => tx.insert(tables.proofs, proof),

  /**
   * Deletes the images of an app's proofs and returns the hashes of their files. Until this transaction ends, no image
   * can be added.
   */
  async removeImages(tx: Transaction, appId: string): Promise<string[]> {
    if (tx.engine === "postgres") await tx.get("SELECT 1 AS one FROM apps WHERE id = ? FOR UPDATE", appId);
    const images = await tx.all<{ sha256: string }>(
      "DELETE FROM uploads WHERE app_id = ? AND proof_id IS NOT NULL RETURNING sha256",
      appId,
    );
    return images.map(({ sha256 }) => sha256);
  },
};
