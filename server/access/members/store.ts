import type { Role } from "../../../src/contract/endpoint.ts";
import type { Invitation, Member } from "../../../src/contract/people.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import * as tables from "../../database/schema/access.ts";
import { accessTopic, tokensTopic, userTopic } from "../../database/transaction.ts";
import { assignees } from "../../feedback/threads/store/threads.ts";
import { noticeBrowsers } from "../../notices/browsers/store.ts";
import { noticeChoices } from "../../notices/choices/store.ts";
import { notices } from "../../notices/waiting/store.ts";

export interface Membership {
  readonly appId: string;
  readonly userId: string;
}

const columns = `m.user_id AS "userId", u.email, u.name, m.role, m.created_at AS "createdAt"`;

export const members = {
  /** Locks the members of an app. Otherwise, two simultaneous changes could remove the last two owners. */
  lock: (tx: Transaction, appId: string) => tx.lock(`members:${appId}`),

  insert: (
    tx: Transaction,
    {
      appId,
      userId,
      role,
      createdAt,
    }: { readonly appId: string; readonly userId: string; readonly role: Role; readonly createdAt: string },
  ) => tx.insert(tables.appMembers, { appId, userId, role, createdAt }),

  /** Returns the role of a person in an app; undefined if the person is not a member. */
  async roleOf(reader: Reader, appId: string, userId: string): Promise<Role | undefined> {
    const sql = "SELECT role FROM app_members WHERE app_id = ? AND user_id = ?";
    return (await reader.get<{ role: Role }>(sql, appId, userId))?.role;
  },

  /** Returns the members of an app, in the order in which they joined. */
  list: (reader: Reader, appId: string) =>
    reader.all<Member>(
      `SELECT ${columns} FROM app_members m JOIN users u ON u.id = m.user_id
       WHERE m.app_id = ? ORDER BY m.created_at, m.user_id`,
      appId,
    ),

  find: (reader: Reader, { appId, userId }: Membership) =>
    reader.get<Member>(
      `SELECT ${columns} FROM app_members m JOIN users u ON u.id = m.user_id WHERE m.app_id = ? AND m.user_id = ?`,
      appId,
      userId,
    ),

  async countOwners(reader: Reader, appId: string): Promise<number> {
    const sql = "SELECT count(*) AS count FROM app_members WHERE app_id = ? AND role = 'owner'";
    return (await reader.get<{ count: number }>(sql, appId))?.count ?? 0;
  },

  async countOwned(reader: Reader, userId: string): Promise<number> {
    const sql = "SELECT count(*) AS count FROM app_members WHERE user_id = ? AND role = 'owner'";
    return Number((await reader.get<{ count: number }>(sql, userId))?.count ?? 0);
  },

  /** Returns the names of the apps that one person owns and of which another person is a member. */
  async appsOfBoth(reader: Reader, ownerId: string, userId: string): Promise<string[]> {
    const rows = await reader.all<{ name: string }>(
      `SELECT a.name FROM app_members o JOIN app_members m ON m.app_id = o.app_id JOIN apps a ON a.id = o.app_id
       WHERE o.user_id = ? AND o.role = 'owner' AND m.user_id = ? ORDER BY a.name, a.id`,
      ...[ownerId, userId],
    );
    return rows.map(({ name }) => name);
  },

  async setRole(tx: Transaction, { appId, userId }: Membership, role: Role): Promise<void> {
    await notices.lock(tx, { appId, userId });
    await tx.run("UPDATE app_members SET role = ? WHERE app_id = ? AND user_id = ?", role, appId, userId);
    if (role !== "owner") await endOwnership(tx, { appId, userId });
    if (role === "viewer") await assignees.takeAll(tx, appId, userId);
    await notices.recallOfMember(tx, { appId, userId });
    changed(tx, { appId, userId });
  },

  /**
   * Removes a member, with the person's tokens and notices for this app. Unassigns the person's threads.
   * (rule K29)
   */
  async remove(tx: Transaction, { appId, userId }: Membership): Promise<void> {
    await notices.lock(tx, { appId, userId });
    await tx.run("DELETE FROM app_members WHERE app_id = ? AND user_id = ?", appId, userId);
    await assignees.takeAll(tx, appId, userId);
    await endOwnership(tx, { appId, userId });
    await tx.run("DELETE FROM tokens WHERE app_id = ? AND user_id = ?", appId, userId);
    await notices.drop(tx, { appId, userId });
    await noticeChoices.remove(tx, { appId, userId });
    await noticeBrowsers.removeWithoutApps(tx, userId);
    changed(tx, { appId, userId });
  },
};

/**
 * Deletes a former owner's agent tokens and connections for the app. The app's uploads then count for another
 * owner.
 */
async function endOwnership(tx: Transaction, { appId, userId }: Membership): Promise<void> {
  await tx.run(
    "DELETE FROM tokens WHERE app_id = ? AND user_id = ? AND kind IN ('agent', 'oauth')",
    appId,
    userId,
  );
  await tx.run(
    `UPDATE apps SET owner_id = (SELECT user_id FROM app_members WHERE app_id = apps.id AND role = 'owner'
       ORDER BY created_at, user_id LIMIT 1)
     WHERE id = ? AND owner_id = ?`,
    appId,
    userId,
  );
}

/** Signals all servers to end the person's waiting requests and to drop cached rows about the membership. */
function changed(tx: Transaction, { appId, userId }: Membership): void {
  // `tokensTopic` must be last: it wakes waiting requests, which must not find old rows in the cache.
  for (const topic of [accessTopic(appId), userTopic(userId), tokensTopic]) tx.signal(topic);
}

/** The data of an invitation that the invited person sees after the sign-in. */
interface OfferRow {
  readonly id: string;
  readonly appId: string;
  readonly appName: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly invitedByName: string | null;
  readonly expiresAt: string;
}

/** The data of an invitation that everybody with the link sees. */
export interface InvitedRow {
  readonly appName: string;
  readonly role: Role;
  readonly email: string;
  readonly invitedBy: string;
}

/** The hash of an invitation link, the e-mail address of the account that opens the link, and the current time. */
export interface InvitationLink {
  readonly tokenHash: string;
  readonly email: string;
  readonly now: string;
}

// An invitation is valid only while the person who created it is an owner of the app.
const isValid = `invitations.expires_at > ? AND EXISTS (SELECT 1 FROM app_members m
  WHERE m.app_id = invitations.app_id AND m.user_id = invitations.invited_by AND m.role = 'owner')`;

export const invitations = {
  /** Returns the invitations that can still be accepted, newest first. */
  list: (reader: Reader, appId: string, now: string) =>
    reader.all<Invitation>(
      `SELECT invitations.id, invitations.email, role, u.email AS "invitedBy", u.name AS "invitedByName",
              invitations.created_at AS "createdAt", expires_at AS "expiresAt"
       FROM invitations JOIN users u ON u.id = invited_by
       WHERE app_id = ? AND ${isValid} ORDER BY invitations.created_at DESC, invitations.id DESC`,
      appId,
      now,
    ),

  /** Adds an invitation, and deletes an earlier one for the same address. */
  async insert(
    tx: Transaction,
    row: Omit<Invitation, "invitedBy" | "invitedByName"> & {
      readonly appId: string;
      readonly tokenHash: string;
      /** The id of the owner who invites. */
      readonly invitedBy: string;
    },
  ): Promise<void> {
    await tx.run("DELETE FROM invitations WHERE app_id = ? AND email = ?", row.appId, row.email);
    await tx.insert(tables.invitations, row);
  },

  /** Returns the invitation for this account. Undefined if the link cannot be used, for any reason. */
  offer: (reader: Reader, { tokenHash, email, now }: InvitationLink) =>
    reader.get<OfferRow>(
      `SELECT invitations.id, app_id AS "appId", a.name AS "appName", role, u.email AS "invitedBy", u.name AS "invitedByName",
              expires_at AS "expiresAt"
       FROM invitations JOIN apps a ON a.id = app_id JOIN users u ON u.id = invited_by
       WHERE token_hash = ? AND invitations.email = ? AND ${isValid}`,
      ...[tokenHash, email, now],
    ),

  /** Returns the invitation for anybody who has its link. Undefined if the link cannot be used, for any reason. */
  invited: (reader: Reader, { tokenHash, now }: Omit<InvitationLink, "email">) =>
    reader.get<InvitedRow>(
      `SELECT a.name AS "appName", role, invitations.email, u.email AS "invitedBy"
       FROM invitations JOIN apps a ON a.id = app_id JOIN users u ON u.id = invited_by
       WHERE token_hash = ? AND ${isValid}`,
      ...[tokenHash, now],
    ),

  /** Deletes a valid invitation and returns it. Only one of several simultaneous calls gets the invitation. */
  take: (tx: Transaction, { tokenHash, email, now }: InvitationLink) =>
    tx.get<{ id: string; appId: string; role: Role }>(
      `DELETE FROM invitations WHERE token_hash = ? AND email = ? AND ${isValid}
       RETURNING id, app_id AS "appId", role`,
      ...[tokenHash, email, now],
    ),

  /** Withdraws an invitation. Returns undefined if the app has no such invitation. */
  withdraw: (tx: Transaction, appId: string, id: string) =>
    tx.get<{ email: string }>(
      "DELETE FROM invitations WHERE app_id = ? AND id = ? RETURNING email",
      ...[appId, id],
    ),

  /** Removes up to `most` expired invitations. Returns their number. */
  prune: (tx: Transaction, now: string, most: number) =>
    tx.run(
      `DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at <= ? LIMIT ?)`,
      now,
      most,
    ),
};
