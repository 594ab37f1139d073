import type { Reader, Transaction } from "../../database/database.ts";

export interface NewSignInCode {
  readonly codeHash: string;
  /** The sealed code, for a device that waits for it; null for a refusal, which has no code. */
  readonly codeSealed: string | null;
  readonly userId: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly challenge: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

export interface SignInCodeRow {
  readonly codeHash: string;
  readonly userId: string;
  readonly email: string;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly challenge: string;
  readonly expiresAt: string;
  readonly usedAt: string | null;
  readonly replacedAt: string | null;
}

/** A person's last decision on the request of a waiting device: a code, or a refusal. */
export type DecidedSignInCode = { readonly codeSealed: string } | "refused" | undefined;

/** A sign-in request: of which device, and with which challenge. */
export interface SignInRequest {
  readonly deviceId: string;
  readonly challenge: string;
}

/** Codes that devices exchange for tokens. A code is live until it is used or replaced. */
export const signInCodes = {
  /**
   * The code with this hash, or another code if no code has it. The caller must compare `codeHash`. An empty result would
   * be faster, and the time would show that the code does not exist.
   */
  findNearest: (reader: Reader, codeHash: string) =>
    reader.get<SignInCodeRow>(
      `SELECT c.code_hash AS "codeHash", c.user_id AS "userId", u.email, c.device_id AS "deviceId", c.device_name AS "deviceName",
              c.challenge, c.expires_at AS "expiresAt", c.used_at AS "usedAt", c.replaced_at AS "replacedAt"
       FROM sign_in_codes c JOIN users u ON u.id = c.user_id
       WHERE c.code_hash = coalesce((SELECT min(code_hash) FROM sign_in_codes WHERE code_hash >= ?),
                                    (SELECT min(code_hash) FROM sign_in_codes))`,
      codeHash,
    ),

  /** Adds the one live code of a device and replaces an earlier one. The caller holds the lock of the device. */
  async mint(tx: Transaction, code: NewSignInCode): Promise<void> {
    await tx.run(
      `UPDATE sign_in_codes SET replaced_at = ?
       WHERE device_id = ? AND used_at IS NULL AND replaced_at IS NULL`,
      code.createdAt,
      code.deviceId,
    );
    await insert(tx, code, null);
  },

  /** Stores a refusal. It replaces a code that the person has already given for the same request. */
  async refuse(tx: Transaction, refusal: NewSignInCode): Promise<void> {
    await tx.run(
      `UPDATE sign_in_codes SET replaced_at = ?
       WHERE device_id = ? AND challenge = ? AND used_at IS NULL AND replaced_at IS NULL`,
      refusal.createdAt,
      refusal.deviceId,
      refusal.challenge,
    );
    await insert(tx, refusal, refusal.createdAt);
  },

  /** Uses a code; false if it is no longer live. Only one of several concurrent calls succeeds. */
  use: async (tx: Transaction, codeHash: string, now: string): Promise<boolean> =>
    (await tx.run(
      `UPDATE sign_in_codes SET used_at = ?, code_sealed = NULL
       WHERE code_hash = ? AND used_at IS NULL AND replaced_at IS NULL AND expires_at > ?`,
      now,
      codeHash,
      now,
    )) === 1,

  /** The last decision on a sign-in request, if it can still be used. */
  async decided(
    reader: Reader,
    { deviceId, challenge }: SignInRequest,
    now: string,
  ): Promise<DecidedSignInCode> {
    const row = await reader.get<{ codeSealed: string | null; replacedAt: string | null }>(
      `SELECT code_sealed AS "codeSealed", replaced_at AS "replacedAt" FROM sign_in_codes
       WHERE device_id = ? AND challenge = ? AND expires_at > ?
       ORDER BY created_at DESC, CASE WHEN replaced_at IS NULL THEN 0 ELSE 1 END LIMIT 1`,
      deviceId,
      challenge,
      now,
    );
    if (!row) return undefined;
    if (row.replacedAt !== null) return row.codeSealed === null ? "refused" : undefined;
    return row.codeSealed === null ? undefined : { codeSealed: row.codeSealed };
  },

  /** Removes up to `most` expired codes. Gives their number. */
  prune: (tx: Transaction, now: Date, most = 1_000): Promise<number> =>
    tx.run(
      `DELETE FROM sign_in_codes WHERE code_hash IN
         (SELECT code_hash FROM sign_in_codes WHERE expires_at <= ? LIMIT ?)`,
      now.toISOString(),
      most,
    ),
};

/** A refusal is stored as already replaced, so that it is never live. */
const insert = (tx: Transaction, code: NewSignInCode, replacedAt: string | null): Promise<void> =>
  tx.insert("sign_in_codes", {
    code_hash: code.codeHash,
    code_sealed: code.codeSealed,
    user_id: code.userId,
    device_id: code.deviceId,
    device_name: code.deviceName,
    challenge: code.challenge,
    created_at: code.createdAt,
    expires_at: code.expiresAt,
    replaced_at: replacedAt,
  });
