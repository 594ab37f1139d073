import { expect, onTestFinished, vi } from "vitest";
import { type OutgoingMail, queueMail } from "../../../server/mail/outgoing/queue.ts";
import type { MailRow } from "../../../server/mail/outgoing/store.ts";
import { type Service, type ServiceOptions, startService } from "../service/service.ts";
import type { ReceivedMail } from "./mail-server.ts";

export const sender = "Larder <feedback@larder.example>";

/** Queues a mail in a separate transaction. */
export const queue = ({ deps }: Service, mail: Partial<OutgoingMail> = {}) =>
  deps.database.write((tx) =>
    queueMail(deps, tx, {
      kind: "invitation",
      to: "ada@kitchen.example",
      subject: "You are invited",
      text: "Come in:\nhttps://larder.example/i/1",
      ...mail,
    }),
  );

/** Returns the state of a mail. */
export const mailRow = ({ deps }: Service, id: string | undefined) =>
  deps.database.get<MailRow & { attempts: number }>(
    `SELECT status, content, attempts, recipient, last_error AS "lastError" FROM mails WHERE id = ?`,
    id ?? "",
  );

const patience = { timeout: 60_000, interval: 20 };

/** Waits until a mail has this state. */
export const mailBecomes = (service: Service, id: string | undefined, wanted: object) =>
  vi.waitFor(async () => expect(await mailRow(service, id)).toMatchObject(wanted), patience);

/** Waits until a mail server has this number of mails. */
export const mailsArrive = (server: { readonly received: readonly ReceivedMail[] }, count: number) =>
  vi.waitFor(() => expect(server.received).toHaveLength(count), patience);

/** Lets the waiting time of mails pass, and starts the jobs that send them. */
export async function afterWaiting(service: Service, milliseconds: number): Promise<void> {
  service.clock.pass(milliseconds);
  await service.deps.database.write(async (tx) => tx.signal("mail"));
}

/** A server whose mails go to this address, until the test has finished. */
export async function serverWithMail(smtpUrl: string, options: ServiceOptions = {}): Promise<Service> {
  const environment = { INNKEEP_SMTP_URL: smtpUrl, INNKEEP_MAIL_FROM: sender, ...options.environment };
  const service = await startService({ ...options, environment });
  onTestFinished(() => service.stop());
  return service;
}
