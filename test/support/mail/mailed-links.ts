import { openMail } from "../../../server/mail/outgoing/queue.ts";
import type { Service } from "../service/service.ts";

/** The mails to an address, oldest first. The service must catch its mails: `settings: { dev: true }`. */
export async function mailsTo({ deps }: Service, email: string) {
  const rows = await deps.database.all<{ content: string | null }>(
    "SELECT content FROM mails WHERE recipient = ? ORDER BY id",
    email,
  );
  return rows.flatMap(({ content }) => (content === null ? [] : openMail(deps, content)));
}

/** The token of the newest link that was mailed to an address; empty without one. */
export async function mailedToken(service: Service, email: string): Promise<string> {
  const texts = (await mailsTo(service, email)).map(({ text }) => text);
  const tokens = texts.flatMap((text) => /\/(?:recover|sign-up)\/([\w-]{43})\b/.exec(text)?.[1] ?? []);
  return tokens.at(-1) ?? "";
}
