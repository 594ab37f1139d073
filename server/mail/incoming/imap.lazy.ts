import { ImapFlow } from "imapflow";
import type { MailIn } from "../../settings/settings.ts";

/** The beginning of a mail: enough to see whether it is for us. */
export interface MailHead {
  readonly uid: number;
  /** The lines with its receivers. */
  readonly receivers: string;
}

/** An open folder of a mail server. */
export interface Mailbox {
  /** Another value means that all uids are new. */
  readonly uidValidity: string;
  /** The heads of mails that are newer than a uid, some at a time, oldest first. */
  heads(after: number): AsyncIterable<readonly MailHead[]>;
  /** The first bytes of a mail, at most so many; undefined if it is gone. */
  read(uid: number, mostBytes: number): Promise<Buffer | undefined>;
  markRead(uid: number): Promise<void>;
  /** Resolves when there may be news, at the latest after a minute. Rejects when the connection is gone. */
  news(): Promise<void>;
  close(): void;
}

const headsAtOnce = 200;
const pollMilliseconds = 60_000;
const receivers = ["to", "cc", "delivered-to", "x-original-to", "envelope-to"];

/** Opens the folder. Rejects with a reason that has no password in it. */
export async function openMailbox(server: MailIn): Promise<Mailbox> {
  const client = clientOf(server);
  const bell = bellOf(client);
  await client.connect();
  const opened = await client.mailboxOpen(server.folder);
  return {
    uidValidity: String(opened.uidValidity),
    heads: (after) => headsOf(client, server.folder, after),
    async read(uid, mostBytes) {
      const found = await client.fetchOne(String(uid), { source: { maxLength: mostBytes } }, { uid: true });
      return found ? found.source : undefined;
    },
    async markRead(uid) {
      await client.messageFlagsAdd(String(uid), ["\\Seen"], { uid: true });
    },
    news: () => bell.rings(),
    close() {
      bell.end();
      client.close();
    },
  };
}

function clientOf({ host, port, encryption, verified, user, password: pass }: MailIn): ImapFlow {
  return new ImapFlow({
    host,
    port,
    secure: encryption === "immediate",
    doSTARTTLS: encryption === "starttls",
    tls: { rejectUnauthorized: verified, minVersion: "TLSv1.2" },
    auth: { user, pass },
    logger: false,
    connectionTimeout: 15_000,
    greetingTimeout: 30_000,
    socketTimeout: 300_000,
  });
}

async function* headsOf(client: ImapFlow, folder: string, after: number): AsyncIterable<readonly MailHead[]> {
  await client.noop();
  const { uidNext = 0 } = (await client.status(folder, { uidNext: true })) || {};
  for (let first = after + 1; first < uidNext; first += headsAtOnce) {
    const range = `${first}:${Math.min(first + headsAtOnce, uidNext) - 1}`;
    const found = await client.fetchAll(range, { uid: true, headers: receivers }, { uid: true });
    yield found
      .map(({ uid, headers }) => ({ uid, receivers: headers?.toString("latin1") ?? "" }))
      .sort((one, other) => one.uid - other.uid);
  }
}

/** Rings when mail has come, and when the connection is gone. What came while nobody waited rings at once. */
function bellOf(client: ImapFlow) {
  let gone: Error | undefined;
  let hasNews = false;
  let wake = () => {};
  const end = (error?: Error) => {
    gone ??= error ?? new Error("The mail server has closed the connection");
    wake();
  };
  client.on("error", end);
  client.on("close", () => end());
  client.on("exists", () => {
    hasNews = true;
    wake();
  });
  return {
    end,
    async rings(): Promise<void> {
      if (!hasNews && gone === undefined) {
        // The next command ends it.
        client.idle().catch(() => undefined);
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, pollMilliseconds);
        });
        clearTimeout(timer);
      }
      hasNews = false;
      if (gone) throw gone;
    },
  };
}
