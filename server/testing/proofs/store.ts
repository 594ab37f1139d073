import type { Transaction } from "../../database/database.ts";

export interface NewProof {
  readonly id: string;
  readonly slotId: string;
  readonly dayIndex: number;
  readonly capturedAt: string;
  readonly queuedAt: string | null;
  readonly note: string | null;
  readonly createdAt: string;
}

/** Proofs of days. Their images are uploads. */
export const proofs = {
  insert: (tx: Transaction, proof: NewProof) =>
    tx.insert("proofs", {
      id: proof.id,
      slot_id: proof.slotId,
      day_index: proof.dayIndex,
      captured_at: proof.capturedAt,
      queued_at: proof.queuedAt,
      note: proof.note,
      created_at: proof.createdAt,
    }),

  /** Deletes the images of an app's proofs and gives their hashes. No image can be added until this transaction ends. */
  async removeImages(tx: Transaction, appId: string): Promise<string[]> {
    if (tx.engine === "postgres") await tx.get("SELECT 1 AS one FROM apps WHERE id = ? FOR UPDATE", appId);
    const images = await tx.all<{ sha256: string }>(
      "DELETE FROM uploads WHERE app_id = ? AND proof_id IS NOT NULL RETURNING sha256",
      appId,
    );
    return images.map(({ sha256 }) => sha256);
  },
};
