import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runAdmin } from "../../../server/admin/main.ts";
import { fakeKeychain } from "../../support/clients/fake-keychain.ts";
import { env, type Planted, secrets } from "./planted.ts";

const notHere = () => Promise.reject(new Error("This program is not here."));

export const faultsOfMachine: readonly Planted[] = [
  {
    fault: "an old Node",
    plant: () => ({ world: { nodeVersion: "v20.18.1" } }),
    ...{ check: "node", state: "failure", what: /Node 20\.18\.1 is too old/, next: /Install Node 24/ },
  },
  {
    fault: "a Node that is soon without security fixes",
    plant: () => ({ world: { nodeVersion: "v23.1.0" } }),
    ...{ check: "node", state: "warning", what: /security fixes for a few months/, next: /Install Node 24/ },
  },
  {
    fault: "no database driver",
    plant: () => ({ world: { checkServer: () => Promise.reject(new Error("sqlite3 is not installed.")) } }),
    ...{
      check: "serve",
      state: "warning",
      what: /sqlite3 is not installed/,
      next: /--omit=optional|Node 24/,
    },
  },
  {
    fault: "a mail server that cannot be used",
    plant: () => ({
      ...env({
        INNKEEP_SMTP_URL: `smtp://ada:${secrets.mail}@127.0.0.1:9`,
        INNKEEP_MAIL_FROM: "a@b.example",
      }),
      world: { programs: { serve: notHere, admin: runAdmin, mcp: notHere, devExec: notHere } },
    }),
    ...{ check: "mail", state: "failure", what: /mail server cannot be used/, next: /admin mail test/ },
  },
  {
    fault: "an S3 store that does not answer",
    plant: () => ({
      ...env({ INNKEEP_S3_URL: `http://inn:${secrets.store}@127.0.0.1:9/bucket` }),
      world: { programs: { serve: notHere, admin: runAdmin, mcp: notHere, devExec: notHere } },
    }),
    ...{ check: "files", state: "failure", what: /files cannot be read/, next: /INNKEEP_S3_URL/ },
  },
  {
    fault: "nightly backups of a database that is not there",
    plant: ({ line }) => ({
      ...env({ INNKEEP_BACKUP_DRILL: "daily", INNKEEP_DATA: join(line.cwd, "no-data") }),
      world: { programs: { serve: notHere, admin: runAdmin, mcp: notHere, devExec: notHere } },
    }),
    ...{ check: "backups", state: "failure", what: /no database/, next: /INNKEEP_DATA/ },
  },
  {
    fault: "a file in place of the config folder",
    async plant({ line }) {
      const folder = join(line.cwd, "config-file");
      await writeFile(folder, "");
      return env({ INNKEEP_CONFIG_DIR: folder, INNKEEP_STATE_DIR: join(line.cwd, "state") });
    },
    ...{ check: "config folder", state: "failure", what: /is not a folder/, next: /INNKEEP_CONFIG_DIR/ },
  },
  {
    fault: "a file in place of the state folder",
    async plant({ line }) {
      await writeFile(join(line.cwd, "state-file"), "");
      return env({ INNKEEP_STATE_DIR: join(line.cwd, "state-file") });
    },
    ...{ check: "state folder", state: "failure", what: /is not a folder/, next: /INNKEEP_STATE_DIR/ },
  },
  {
    fault: "credentials that others can read",
    async plant({ line, config }) {
      await line.run(["auth", "set", "api-key", "--no-check"], { stdin: secrets.key });
      await chmod(join(config, "credentials.json"), 0o644);
      return {};
    },
    ...{ check: "modes", state: "failure", what: /Other users .*credentials\.json/, next: /chmod go-rwx/ },
  },
  {
    fault: "a damaged file of credentials",
    async plant({ config }) {
      await mkdir(config, { recursive: true, mode: 0o700 });
      await writeFile(join(config, "credentials.json"), `{"${secrets.key}`, { mode: 0o600 });
      return {};
    },
    ...{ check: "credentials file", state: "failure", what: /credentials\.json is damaged/, next: /Remove/ },
  },
  {
    fault: "damaged profiles",
    async plant({ config }) {
      await mkdir(config, { recursive: true, mode: 0o700 });
      await writeFile(join(config, "profiles.json"), '{"profiles": {"work": 5}}', { mode: 0o600 });
      return {};
    },
    ...{ check: "profiles", state: "failure", what: /profiles\.json is damaged/, next: /innkeep config set/ },
  },
  {
    fault: "a secret in innkeep.json",
    async plant({ line }) {
      await writeFile(join(line.cwd, "innkeep.json"), JSON.stringify({ app: secrets.key }));
      return {};
    },
    ...{ check: "innkeep.json", state: "failure", what: /contains a secret/, next: /`server` and `app`/ },
  },
  {
    fault: "a profile that nobody made",
    plant: () => env({ INNKEEP_PROFILE: "wrok" }),
    ...{ check: "profiles", state: "failure", what: /no profile "wrok"/, next: /config set server/ },
  },
  {
    fault: "a keychain that is gone",
    async plant({ line }) {
      const keychain = fakeKeychain();
      await line.run(["auth", "set", "api-key", "--no-check"], {
        stdin: secrets.key,
        world: { keychain: async () => keychain },
      });
      return {};
    },
    ...{ check: "keychain", state: "failure", what: /does not exist any more/, next: /innkeep auth set/ },
  },
  {
    fault: "a keychain that refuses",
    plant: () => ({ world: { keychain: async () => fakeKeychain({ refuses: true }) } }),
    ...{ check: "keychain", state: "warning", what: /keychain refused/, next: /Unlock the keychain/ },
  },
  {
    fault: "a variable with a typing mistake",
    plant: () => env({ INNKEEP_API_KYE: secrets.key }),
    ...{
      check: "variables",
      state: "warning",
      what: /INNKEEP_API_KYE.*mean INNKEEP_API_KEY/,
      next: /help env/,
    },
  },
  {
    fault: "CI=false",
    plant: () => env({ CI: "false" }),
    ...{ check: "ci", state: "warning", what: /counts as a CI job/, next: /unset CI/ },
  },
  {
    fault: "a report that was not sent",
    async plant({ line }) {
      const down = { INNKEEP_BASE_URL: "http://127.0.0.1:9", INNKEEP_API_KEY: secrets.key };
      const send = ["feedback", "send", "--type", "bug", "--message", "It fails.", "--max-wait", "0s"];
      await line.run(send, { env: down });
      return {};
    },
    ...{ check: "unsent", state: "warning", what: /One report waits/, next: /feedback resend --list/ },
  },
];
