import { expect, vi } from "vitest";
import type { ServiceOptions } from "../service/service.ts";
import { makeAppWithSenders } from "./app-with-senders.ts";
import { startMailbox } from "./dovecot.ts";
import { startMailServer } from "./mail-server.ts";
import { mailsArrive, serverWithMail } from "./server-with-mail.ts";

export const patience = { timeout: 60_000, interval: 100 };
const ada = { name: "Ada", email: "ada@kitchen.example", message: "The oven broke." };

/** Ada has got a reply by mail, and can answer it to a mailbox that the server reads. */
export async function startAnswerable(options: ServiceOptions = {}) {
  const [server, mailbox] = [await startMailServer(), await startMailbox()];
  const environment = { INNKEEP_IMAP_URL: mailbox.url };
  const service = await serverWithMail(server.url, { ...options, environment });
  const app = await makeAppWithSenders(service);
  const id = (await app.report(ada)).field("id");
  await app.reply(id);
  await mailsArrive(server, 1);
  const address = /^Reply-To: (\S+)\s*$/im.exec(server.received[0]?.raw ?? "")?.[1] ?? "none";
  const messages = async () => Object(await app.thread(id)).messages.slice(1);
  let count = 0;
  const mail = (lines: readonly string[], headers: Record<string, string> = {}) => {
    count += 1;
    const all = { From: "Ada <ada@kitchen.example>", To: address, "Message-ID": `<${count}@x>`, ...headers };
    const head = Object.entries(all).flatMap(([name, value]) => (value === "" ? [] : [`${name}: ${value}`]));
    return [...head, "", ...lines].join("\r\n");
  };
  const arrive = (count: number) =>
    vi.waitFor(async () => expect(await messages()).toHaveLength(count), patience);
  return { server, mailbox, service, app, id, address, messages, mail, arrive };
}
