import { ImapFlow } from "imapflow";
import type { MailIn } from "../../settings/settings.ts";

/** The uid and the receivers of a mail. They are enough to decide whether the mail is for this server. */
export interface MailHead {
  readonly uid: number;
  /** The header lines that contain the mail's receivers. */
  readonly receivers: string;
}

/** An open folder of a mail server. */
export interface Mailbox {
  /** If this value changes, the mail server has changed the uids of all mails. */
  readonly uidValidity: string;
  /** Returns the heads of the mails whose uid is greater than `after`, in batches, oldest first. */
  heads(after: number): AsyncIterable<readonly MailHead[]>;
  /** Returns the first bytes of a mail, at most `mostBytes`; undefined if the mail was deleted. */
  read(uid: number, mostBytes: number): Promise<Buffer | undefined>;
  markRead(uid: number): Promise<void>;
  /** Resolves when there may be new mail, at the latest after a minute. Rejects when the connection is lost. */
  waitForMail(): Promise<void>;
  close(): void;
}

const headsAtOnce = 200;
const pollMilliseconds = 60_000;
const receivers = ["to", "cc", "delivered-to", "x-original-to", "envelope-to"];

/** Opens the folder that is in the settings. If that fails, the message of the error contains no password. */
export async function openMailbox(server: MailIn): Promise<Mailbox> {
  const client = clientOf(server);
  const arrivals = watchArrivals(client);
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
    waitForMail: () => arrivals.wait(),
    close() {
      arrivals.end();
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

/**
 * Watches for new mail. The returned `wait` resolves after a new mail or a minute, and rejects when the
 * connection is lost.
 */
function watchArrivals(client: ImapFlow) {
  let lost: Error | undefined;
  let hasMail = false;
  let wake = () => {};
  const end = (error?: Error) => {
    lost ??= error ?? new Error("The mail server has closed the connection");
    wake();
  };
  client.on("error", end);
  client.on("close", () => end());
  client.on("exists", () => {
    hasMail = true;
    wake();
  });
  return {
    end,
    async wait(): Promise<void> {
      if (!hasMail && lost === undefined) {
        // The promise is not awaited, because it resolves only when the next command of the client ends IDLE.
        client.idle().catch(() => undefined);
        let timer: NodeJS.Timeout | undefined;
        await new Promise<void>((resolve) => {
          wake = resolve;
          timer = setTimeout(resolve, pollMilliseconds);
        });
        clearTimeout(timer);
      }
      hasMail = false;
      if (lost) throw lost;
    },
  };
}
