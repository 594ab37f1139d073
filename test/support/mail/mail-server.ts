import type { AddressInfo } from "node:net";
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { onTestFinished } from "vitest";
import { freePort } from "../network/free-port.ts";

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
}

/** The answer of the server. Undefined accepts the mail. */
type Refusal = { readonly code: number; readonly text: string } | undefined;

export interface MailServerOptions {
  readonly tls?: Pick<SMTPServerOptions, "secure" | "key" | "cert">;
  /** Requires this name and password. */
  readonly account?: { readonly user: string; readonly password: string };
  /** The text with which it refuses another name or password. */
  readonly refusalOfSignIn?: (given: { readonly user: string; readonly password: string }) => string;
  readonly onRecipient?: (address: string) => Refusal;
  /** Called when a mail has arrived, before it is accepted. The server awaits the result. */
  readonly onMail?: (mail: ReceivedMail) => Promise<Refusal> | Refusal;
}

export interface MailServer {
  readonly port: number;
  /** The address of the server, for INNKEEP_SMTP_URL: without encryption. */
  readonly url: string;
  /** The mails that it has accepted. */
  readonly received: readonly ReceivedMail[];
  readonly connections: number;
  close(): Promise<void>;
}

const refused = ({ code, text }: { code: number; text: string }) =>
  Object.assign(new Error(text), { responseCode: code });

/**
 * A mail server on this machine, on a port that stays free when it is closed. Without a certificate it offers no
 * encryption.
 */
export async function startMailServer(options: MailServerOptions = {}, port?: number): Promise<MailServer> {
  const { tls, account, refusalOfSignIn, onRecipient, onMail } = options;
  const received: ReceivedMail[] = [];
  let connections = 0;
  const server = new SMTPServer({
    ...tls,
    disabledCommands: [...(tls ? [] : ["STARTTLS"]), ...(account ? [] : ["AUTH"])],
    disableReverseLookup: true,
    allowInsecureAuth: true,
    closeTimeout: 100,
    onConnect(_session, done) {
      connections += 1;
      done();
    },
    onAuth({ username, password }, _session, done) {
      const isRight = username === account?.user && password === account?.password;
      if (isRight) done(null, { user: username });
      else {
        const given = { user: username ?? "", password: password ?? "" };
        done(refused({ code: 535, text: refusalOfSignIn?.(given) ?? "5.7.8 Authentication failed" }));
      }
    },
    onRcptTo({ address }, _session, done) {
      const refusal = onRecipient?.(address);
      done(refusal ? refused(refusal) : null);
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.on("end", async () => {
        const raw = Buffer.concat(chunks).toString("utf8");
        const from = envelope.mailFrom ? envelope.mailFrom.address : "";
        const mail = { from, to: envelope.rcptTo.map(({ address }) => address), raw };
        const refusal = await onMail?.(mail);
        if (refusal) return done(refused(refusal));
        received.push(mail);
        done();
      });
    },
  });
  server.on("error", () => {});
  const at = port ?? (await freePort());
  await new Promise<void>((resolve) => server.listen(at, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  onTestFinished(() => close());
  const listening = portOf(server.server.address());
  return {
    port: listening,
    url: `smtp://127.0.0.1:${listening}?tls=off`,
    received,
    get connections() {
      return connections;
    },
    close,
  };
}

const portOf = (address: string | AddressInfo | null): number =>
  typeof address === "object" && address !== null ? address.port : 0;

/** A mail as the reader sees it. */
export const parsedMail = ({ raw }: Pick<ReceivedMail, "raw">): Promise<Email> => PostalMime.parse(raw);
