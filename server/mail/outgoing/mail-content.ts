import * as z from "zod/mini";
import type { Deps } from "../../deps.ts";

const Content = z.object({
  to: z.string(),
  fromName: z.string(),
  subject: z.string(),
  text: z.string(),
  messageId: z.string(),
  replyTo: z.nullable(z.string()),
  thread: z.nullable(z.string()),
  unsubscribeUrl: z.nullable(z.string()),
  automatic: z.boolean(),
});

/** Everything that is sent of a mail. Its texts are clean already. */
export type MailContent = z.infer<typeof Content>;

const mark = "sealed:";

/** The form in which a mail is stored. It is sealed, because links in it may let people in. */
export const sealMail = ({ sealer }: Pick<Deps, "sealer">, content: MailContent): string =>
  mark + sealer.seal(JSON.stringify(content));

/** The content of a stored mail. Throws if it was sealed with another secret. */
export const openMail = ({ sealer }: Pick<Deps, "sealer">, stored: string): MailContent =>
  Content.parse(JSON.parse(sealer.open(stored.slice(mark.length))));
