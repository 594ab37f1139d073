import type { Role } from "../../../src/contract/endpoint.ts";
import type { Invitation } from "../../../src/contract/members.ts";
import type { Reader, Transaction } from "../../database/database.ts";

export interface NewInvitation extends Omit<Invitation, "invitedBy"> {
  readonly appId: string;
  readonly tokenHash: string;
  /** The id of the owner who invites. */
  readonly invitedBy: string;
}

/** An invitation, as the person sees it who opens its link. */
export interface OfferRow {
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly expiresAt: string;
}

/** Who presents a link, and when. */
export interface Presented {
  readonly tokenHash: string;
  readonly email: string;
  readonly now: string;
}

// An invitation ends with the ownership of the person who made it.
const stands = `invitations.expires_at > ? AND EXISTS (SELECT 1 FROM app_members m
  WHERE m.app_id = invitations.app_id AND m.user_id = invitations.invited_by AND m.role = 'owner')`;

/** Invitations of people to apps. */
export const invitations = {
  /** The invitations that can still be accepted, newest first. */
  list: (reader: Reader, appId: string, now: string) =>
    reader.all<Invitation>(
      `SELECT invitations.id, invitations.email, role, u.email AS "invitedBy",
              invitations.created_at AS "createdAt", expires_at AS "expiresAt"
       FROM invitations JOIN users u ON u.id = invited_by
       WHERE app_id = ? AND ${stands} ORDER BY invitations.created_at DESC, invitations.id DESC`,
      appId,
      now,
    ),

  /** Adds an invitation. An earlier one to the same address ends. */
  async insert(tx: Transaction, row: NewInvitation): Promise<void> {
    await tx.run("DELETE FROM invitations WHERE app_id = ? AND email = ?", row.appId, row.email);
    await tx.insert("invitations", {
      id: row.id,
      app_id: row.appId,
      email: row.email,
      role: row.role,
      token_hash: row.tokenHash,
      invited_by: row.invitedBy,
      created_at: row.createdAt,
      expires_at: row.expiresAt,
    });
  },

  /** What the link offers to the account with this address; undefined if it offers nothing, whatever the reason. */
  offer: (reader: Reader, { tokenHash, email, now }: Presented) =>
    reader.get<OfferRow>(
      `SELECT invitations.id, app_id AS "appId", a.name AS "appName", role, u.email AS "invitedBy",
              expires_at AS "expiresAt"
       FROM invitations JOIN apps a ON a.id = app_id JOIN users u ON u.id = invited_by
       WHERE token_hash = ? AND invitations.email = ? AND ${stands}`,
      ...[tokenHash, email, now],
    ),

  /** Uses an invitation up, if it still stands. Of several at once only one gets it. */
  take: (tx: Transaction, { tokenHash, email, now }: Presented) =>
    tx.get<{ id: string; appId: string; role: Role }>(
      `DELETE FROM invitations WHERE token_hash = ? AND email = ? AND ${stands}
       RETURNING id, app_id AS "appId", role`,
      ...[tokenHash, email, now],
    ),

  /** Withdraws an invitation; undefined if the app has no such one. */
  withdraw: (tx: Transaction, appId: string, id: string) =>
    tx.get<{ email: string }>(
      "DELETE FROM invitations WHERE app_id = ? AND id = ? RETURNING email",
      ...[appId, id],
    ),

  /** Removes up to `most` expired invitations. Gives their number. */
  prune: (tx: Transaction, now: string, most: number) =>
    tx.run(
      `DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= ? LIMIT ?)`,
      now,
      most,
    ),
};
