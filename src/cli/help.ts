import { Command, Help } from "commander";
import { credentialKinds } from "../client/credential-kinds.ts";
import { exitCodes, usageError } from "./core/cli-error.ts";
import { commandAction, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
import { mutates } from "./core/flags.ts";
import { addExamples } from "./core/help.ts";
import { printList, printOne } from "./core/output.ts";

export function addHelp(help: Command, setup: Setup): void {
  help.argument("[topic...]", "a command, `options`, `exit-codes` or `environment`");
  addExamples(help, "innkeep help faq create", "innkeep help environment");
  commandAction<object, readonly string[]>(help, setup, (invocation, _, topic) =>
    explain(invocation, help, topic),
  );
}

async function explain(invocation: Invocation, help: Command, topic: readonly string[]): Promise<undefined> {
  if (topic[0] === "exit-codes") return listExitCodes(invocation);
  if (topic[0] === "environment") return listEnvironment(invocation);
  if (topic[0] === "options") return listOptions(invocation, help.parent ?? help);
  let command = help.parent ?? help;
  for (const word of topic) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (!next)
      throw usageError(`There is no help on \`${topic.join(" ")}\`.`, "`innkeep help` lists the commands.");
    command = next;
  }
  if (invocation.flags.json) printOne(invocation, descriptionOf(command), () => "");
  else command.outputHelp();
}

/** Prints the commands for programs. */
const descriptionOf = (command: Command) => ({
  name: command.name(),
  summary: command.description(),
  arguments: command.registeredArguments.map((one) => ({ name: one.name(), required: one.required })),
  flags: command.options.map(({ flags, description, mandatory }) => ({
    flags,
    description,
    required: mandatory,
  })),
  commands: new Help()
    .visibleCommands(command)
    .map((one) => ({ name: one.name(), summary: one.description() })),
});

function listExitCodes(invocation: Invocation): undefined {
  const rows = Object.entries(exitCodes).map(([name, row]) => ({ name, ...row }));
  printList(invocation, {
    items: rows,
    columns: [
      { heading: "code", of: ({ code }) => code },
      { heading: "meaning", of: ({ meaning }) => meaning },
    ],
  });
}

/** The options of all commands, and those of all commands that change something. */
function listOptions(invocation: Invocation, program: Command): undefined {
  const rows = [
    ...program.options.map((option) => ({ option, commands: "every command" })),
    ...mutates(new Command()).options.map((option) => ({ option, commands: "every change" })),
  ];
  printList(invocation, {
    items: rows.map(({ option: { flags, description }, commands }) => ({ flags, description, commands })),
    columns: [
      { heading: "option", of: ({ flags }) => flags },
      { heading: "of", of: ({ commands }) => commands },
      { heading: "meaning", of: ({ description }) => description },
    ],
  });
}

function listEnvironment(invocation: Invocation): undefined {
  printList(invocation, {
    items: variables,
    columns: [
      { heading: "variable", of: ({ name }) => name },
      { heading: "meaning", of: ({ meaning }) => meaning },
    ],
  });
}

interface Variable {
  readonly name: string;
  readonly meaning: string;
}

/** The variables of the commands. */
const ofCommands: readonly Variable[] = [
  {
    name: "INNKEEP_BASE_URL",
    meaning:
      "Address of the server. Unless set: the one of innkeep.json, of the profile, of the last sign-in, or http://127.0.0.1:4700. " +
      "For `serve` the address in its links.",
  },
  ...Object.values(credentialKinds).map(({ name, variable }) => ({
    name: variable,
    meaning: `The ${name}. Used in place of a stored one.`,
  })),
  {
    name: "INNKEEP_API_KEY_*",
    meaning: "Set by `dev exec`: the key of each app. The name of the variable contains the name of the app.",
  },
  { name: "INNKEEP_TEST_KEY", meaning: "The test key of a slot, for `innkeep session`." },
  { name: "INNKEEP_APP", meaning: "Id or name of the app, for commands with a maintainer token." },
  {
    name: "INNKEEP_WEBHOOK_SECRET",
    meaning: "The secret with which `dev listen` signs; a new one at each start unless set.",
  },
  { name: "INNKEEP_PROFILE", meaning: "The profile that commands use: see `innkeep config`." },
  {
    name: "INNKEEP_MATRIX",
    meaning:
      "The matrix of a CI job as JSON. Each job of the matrix then reports and resolves its own failures. See docs/junit.md.",
  },
  {
    name: "INNKEEP_MCP_WORK",
    meaning: "`true`: `mcp` also offers the tools for work on approved plans, as with --work.",
  },
  { name: "INNKEEP_CONSOLE_URL", meaning: "Address of the console; the server's /console unless set." },
  { name: "INNKEEP_CONFIG_DIR", meaning: "Folder of stored credentials and profiles." },
  {
    name: "INNKEEP_STATE_DIR",
    meaning: "Folder of unsent reports and proofs, and of other state of commands.",
  },
  { name: "INNKEEP_DEBUG", meaning: "When set, the same as --debug." },
  { name: "INNKEEP_DATA", meaning: "Folder of the server's database and files." },
  { name: "INNKEEP_DATABASE_URL", meaning: "PostgreSQL database of the server." },
  {
    name: "INNKEEP_DATABASE_POOL",
    meaning: "The number of connections to PostgreSQL that the server opens; 10 unless set.",
  },
  {
    name: "INNKEEP_S3_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY",
    meaning: "S3 store of the server's files, and its key unless the address has one.",
  },
  {
    name: "INNKEEP_BACKUP_RECIPIENT",
    meaning: "Public keys of age to which backups are encrypted, separated by commas.",
  },
  {
    name: "INNKEEP_BACKUP_IDENTITY_FILE",
    meaning: "File of secret keys of age, to restore and verify encrypted backups.",
  },
  { name: "INNKEEP_BACKUP_SCRATCH", meaning: "Folder in which backups are restored to verify them." },
  {
    name: "INNKEEP_BACKUP_DRILL",
    meaning: "When `serve` creates and verifies a backup each night. See docs/operating.md.",
  },
  { name: "VISUAL, EDITOR", meaning: "The editor of `faq edit`; vi, or notepad on Windows, unless set." },
  {
    name: "INNKEEP_PLAN_FILE, INNKEEP_PLAN_HASH, INNKEEP_SUMMARY, INNKEEP_DECISION_NOTE, INNKEEP_RUN_ID, INNKEEP_FEEDBACK_ID, INNKEEP_THREAD_URL",
    meaning: "Set by `agent work` for its command: the approved proposal. See docs/agents.md.",
  },
  {
    name: "INNKEEP_NO_UPDATE_NOTICE",
    meaning: "When set, commands do not look for newer versions.",
  },
  {
    name: "INNKEEP_UPDATE_REGISTRY, INNKEEP_UPDATE_NAME",
    meaning:
      "The registry that has the package for you, and its name there: commands look for newer versions only with both.",
  },
  { name: "CI", meaning: "When set, no questions are asked and no browser is opened." },
  { name: "TERM", meaning: "`dumb`: no colours and no progress bars." },
  { name: "NO_COLOR", meaning: "When set, no colours." },
  { name: "FORCE_COLOR", meaning: "When set, colours even without a terminal." },
  { name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY", meaning: "Proxies, and hosts without one." },
  { name: "NODE_EXTRA_CA_CERTS", meaning: "File of further certificate authorities to trust." },
  {
    name: "ALL_PROXY, NODE_TLS_REJECT_UNAUTHORIZED",
    meaning: "Should not be set: `innkeep doctor` warns about them.",
  },
  {
    name: "XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS",
    meaning: "Where the keychain of Linux listens. Usually found without them.",
  },
  {
    name: "XDG_CONFIG_HOME, XDG_STATE_HOME, APPDATA, LOCALAPPDATA",
    meaning: "Where the folders are, unless INNKEEP_CONFIG_DIR is set.",
  },
  {
    name: "XDG_CACHE_HOME",
    meaning: "Where Node 22 and newer keep compiled code of Innkeep; ~/.cache unless set.",
  },
  {
    name: "DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, SSH_TTY, WSL_DISTRO_NAME",
    meaning: "With these, `auth login` finds out whether it can open a browser here.",
  },
  {
    name: "PATH",
    meaning: "Decides whether `serve --demo` and `mcp --setup` print `innkeep` or `node` with a file.",
  },
  {
    name:
      "GITHUB_*, GITLAB_CI, CI_*, CIRCLECI, CIRCLE_*, TF_BUILD, SYSTEM_*, BUILD_*, AGENT_*, RUNNER_TEMP, BUILDKITE, " +
      "BUILDKITE_*, BITBUCKET_*, BITRISE_*, GIT_*, TEAMCITY_*, JENKINS_URL, TAG_NAME, BRANCH_NAME, JOB_NAME",
    meaning:
      "Run, commit, ref and job of a CI run, for `feedback send` and `feedback resolve`, and its tag, for `changelog release`: see docs/ci.md.",
  },
];

/** The settings of the server; docs/operating.md explains them. */
const ofServer: readonly Variable[] = [
  { name: "INNKEEP_HOST, INNKEEP_PORT", meaning: "Where `serve` listens." },
  {
    name: "INNKEEP_FEEDBACK_BYTES_PER_HOUR, INNKEEP_STORED_BYTES_PER_APP",
    meaning: "How much feedback a key may send, and how many bytes of files an app may have.",
  },
  {
    name: "INNKEEP_SECRET, INNKEEP_SECRET_OLD",
    meaning: "Secrets that encrypt stored data: the current one, and older ones.",
  },
  { name: "INNKEEP_RATE_LIMITS, INNKEEP_BUDGETS", meaning: "Limits for one client, and for all of them." },
  { name: "INNKEEP_CORS_ORIGINS", meaning: "Origins whose pages may call the API." },
  { name: "INNKEEP_TRUSTED_PROXIES", meaning: "Networks whose X-Forwarded-For is trusted." },
  {
    name: "INNKEEP_PRIVATE_WEBHOOKS",
    meaning: "Whether chats, webhooks and push services may be in private networks.",
  },
  {
    name: "INNKEEP_SMTP_URL, INNKEEP_MAIL_FROM",
    meaning: "The mail server that sends the server's mails, and the address that they are from.",
  },
  { name: "INNKEEP_IMAP_URL", meaning: "The mailbox to which senders answer mails." },
  {
    name: "INNKEEP_REDIRECT_URL",
    meaning: "A redirect address for sign-in codes, beside those with app schemes.",
  },
  { name: "INNKEEP_REGISTRATION", meaning: "`off`: nobody can create an account." },
  { name: "INNKEEP_IDENTITY_PROVIDERS", meaning: "Providers to sign in with, as JSON." },
  { name: "INNKEEP_MCP", meaning: "`off`: agents cannot call the tools over HTTP." },
  { name: "INNKEEP_ATTESTATION", meaning: "Whether testers' devices are checked." },
  {
    name: "INNKEEP_PLAY_PACKAGES, INNKEEP_PLAY_CERTIFICATES, INNKEEP_PLAY_DECRYPTION_KEY, INNKEEP_PLAY_VERIFICATION_KEY",
    meaning: "The apps whose devices are checked, and the keys for it.",
  },
  { name: "INNKEEP_METRICS_TOKEN, INNKEEP_OPERATOR_TOKEN", meaning: "Bearer token for /metrics." },
  {
    name: "INNKEEP_BACKUPS_KEPT_DAYS",
    meaning: "For how many days you keep backups. Receipts of erasures name the last day.",
  },
  {
    name: "INNKEEP_BACKUP_DIR, INNKEEP_BACKUP_KEEP",
    meaning: "Where the nightly backups are, and how many are kept.",
  },
  {
    name: "INNKEEP_CONTINUOUS_BACKUP, INNKEEP_CONTINUOUS_BACKUP_SECONDS",
    meaning:
      "Settings of earlier versions. If they are set, the server does not start: Litestream makes continuous copies now.",
  },
  {
    name: "INNKEEP_LITESTREAM",
    meaning: "`on`: Litestream copies the SQLite database, and writes its log back. See docs/operating.md.",
  },
  {
    name: "INNKEEP_ERASURES",
    meaning: "The file that records erasures of people for a restore; `erasures.ndjson` in the data folder.",
  },
  { name: "INNKEEP_LOG_LEVEL", meaning: "How much `serve` logs." },
];

/** All variables that the programs read. `innkeep help environment` prints them. */
export const variables: readonly Variable[] = [...ofCommands, ...ofServer];
