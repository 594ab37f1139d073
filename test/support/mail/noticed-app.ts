import { openMail } from "../../../server/mail/outgoing/queue.ts";
import type { Role } from "../../../src/contract/endpoint.ts";
import { eventually } from "../eventually.ts";
import type { Service } from "../service/service.ts";
import { makeAppWithSenders } from "./app-with-senders.ts";

/** Lets time pass and starts all background work. */
export async function passTime({ clock, deps }: Service, milliseconds: number): Promise<void> {
  clock.pass(milliseconds);
  await deps.database.write(async (tx) => tx.signal("*"));
}

/** A member with a verified address, signed in. */
async function memberOf(service: Service, user: { readonly id: string; readonly email: string }) {
  await service.deps.database.write((tx) =>
    tx.run("UPDATE users SET email_verified_at = ? WHERE id = ?", "2026-01-01T00:00:00.000Z", user.id),
  );
  const headers = await service.signIn(user);
  return {
    ...user,
    headers,
    call: (method: string, path: string, body?: object) =>
      service.request(method, `/api/v1/console${path}`, { headers, body }),
    /** Changes which notices the member gets. */
    choose: (body: object) => service.request("PUT", "/api/v1/console/me/notices", { headers, body }),
    /** The notices that the member got by mail, oldest first. */
    async mails() {
      const rows = await service.deps.database.all<{ content: string | null }>(
        "SELECT content FROM mails WHERE recipient = ? AND kind = 'notice' ORDER BY created_at, id",
        user.email,
      );
      return rows.flatMap(({ content }) => (content === null ? [] : openMail(service.deps, content)));
    },
  };
}

export type NoticedMember = Awaited<ReturnType<typeof memberOf>>;

/** An app whose members get notices. Its server catches mails: `settings: { dev: true }`. */
export async function makeNoticedApp(service: Service) {
  const cast = await makeAppWithSenders(service);
  await service.deps.database.write((tx) =>
    tx.run("UPDATE apps SET sender_pages = 1 WHERE id = ?", cast.appId),
  );
  return {
    ...cast,
    owner: await memberOf(service, cast.owner),
    join: async (role: Role) => memberOf(service, await service.makeMember(cast.appId, role)),
    /** Waits until the notices for everything that has happened are created. */
    settled: () =>
      eventually(async () => {
        const left = await service.deps.database.get(
          "SELECT 1 AS one FROM notice_causes WHERE app_id = ?",
          cast.appId,
        );
        if (left !== undefined) throw new Error("Some causes are left.");
      }),
    /** The number of notices that wait for a mail. */
    waiting: async () =>
      (
        await service.deps.database.all(
          "SELECT id FROM notices WHERE app_id = ? AND queued_at IS NULL",
          cast.appId,
        )
      ).length,
  };
}
