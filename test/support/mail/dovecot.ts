import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { freePort } from "../network/free-port.ts";

const program = ["/usr/sbin/dovecot", "/usr/local/sbin/dovecot"].find((path) => existsSync(path));

/** Whether this machine has Debian's Dovecot, and may start it. */
export const hasDovecot = program !== undefined && userInfo().uid === 0;

/** The user that owns the mail. */
const nobody = 65_534;

/** A mailbox on this machine. */
export interface TestMailbox {
  /** For INNKEEP_IMAP_URL. */
  readonly url: string;
  /** Delivers a mail to the inbox, as a mail server does. */
  deliver(raw: string | Buffer): Promise<void>;
  /** The mails that are unread, and those that were read. */
  unread(): Promise<number>;
  read(): Promise<number>;
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Starts Dovecot with one mailbox, until the test has finished. */
export async function startMailbox(): Promise<TestMailbox> {
  const folder = await mkdtemp(join(tmpdir(), "innkeep-mail-"));
  const port = await freePort();
  await chmod(folder, 0o755);
  const inbox = join(folder, "home", "Maildir");
  for (const part of ["cur", "new", "tmp"]) await mkdir(join(inbox, part), { recursive: true });
  const parts = ["cur", "new", "tmp"].map((part) => join(inbox, part));
  for (const owned of [join(folder, "home"), inbox, ...parts]) await chown(owned, nobody, nobody);
  const file = join(folder, "dovecot.conf");
  await writeFile(file, configuration(folder, port));
  let running: ChildProcess | undefined;
  const start = async () => {
    running = spawn(program ?? "dovecot", ["-F", "-c", file], { stdio: "ignore" });
    await vi.waitFor(() => reachable(port), { timeout: 60_000, interval: 50 });
  };
  const stop = async () => {
    const ended = running && running.exitCode === null ? once(running, "exit") : undefined;
    running?.kill("SIGTERM");
    await ended;
    running = undefined;
  };
  await start();
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  let count = 0;
  const inCur = async () => readdir(join(inbox, "cur"));
  return {
    url: `imap://ada:hunter2@127.0.0.1:${port}?tls=off`,
    async deliver(raw) {
      count += 1;
      const name = `${Math.floor(Date.now() / 1_000)}.M${count}.test`;
      const path = join(inbox, "tmp", name);
      await writeFile(path, raw);
      await chmod(path, 0o666);
      await chown(path, nobody, nobody);
      await rename(path, join(inbox, "new", name));
    },
    unread: async () =>
      (await readdir(join(inbox, "new"))).length +
      (await inCur()).filter((name) => !/,.*S/.test(name)).length,
    read: async () => (await inCur()).filter((name) => /,.*S/.test(name)).length,
    stop,
    start,
  };
}

function configuration(folder: string, port: number): string {
  return `protocols = imap
base_dir = ${folder}/run
state_dir = ${folder}/state
log_path = ${folder}/log
ssl = no
disable_plaintext_auth = no
listen = 127.0.0.1
default_internal_user = dovecot
default_login_user = dovenull
mail_location = maildir:~/Maildir
mail_max_userip_connections = 50
first_valid_uid = 1
first_valid_gid = 1
service imap-login {
  chroot =
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = 0
  }
}
service anvil {
  chroot =
}
passdb {
  driver = static
  args = password=hunter2
}
userdb {
  driver = static
  args = uid=${nobody} gid=${nobody} home=${folder}/home
}
`;
}

const reachable = (port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve();
    });
    socket.once("error", reject);
  });
