import { Command, Help } from "commander";
import { credentialKinds } from "../client/connection.ts";
import { exitCodes, usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, mutates, type Setup } from "./core/command.ts";
import type { Invocation } from "./core/context.ts";
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

/** Returns the description of a command for `--json`. */
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

/** Prints the global options, and the options of all commands that change something. */
function listOptions(invocation: Invocation, program: Command): undefined {
  const rows = [
    ...program.options.map((option) => ({ option, commands: "every command" })),
    ...mutates(new Command()).options.map((option) => ({
      option,
      commands: "every command that changes something",
    })),
  ];
  printList(invocation, {
    items: rows.map(({ option: { flags, description }, commands }) => ({ flags, description, commands })),
    columns: [
      { heading: "option", of: ({ flags }) => flags },
      { heading: "applies to", of: ({ commands }) => commands },
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

/** The environment variables that commands read. */
const ofCommands: readonly Variable[] = [
  {
    name: "INNKEEP_BASE_URL",
    meaning:
      "Address of the server. If it is not set, the address comes from innkeep.json, the profile or the last sign-in, or is http://127.0.0.1:4700. " +
      "`serve` uses it in its links.",
  },
  ...Object.values(credentialKinds).map(({ name, variable }) => ({
    name: variable,
    meaning: `The ${name}. It is used instead of a stored ${name}.`,
  })),
  {
    name: "INNKEEP_API_KEY_*",
    meaning:
      "`dev exec` sets one for each app, with the key of the app. The name of the variable contains the name of the app.",
  },
  { name: "INNKEEP_TEST_KEY", meaning: "The test key of a slot, for `innkeep session`." },
  { name: "INNKEEP_APP", meaning: "Id or name of the app, for commands with a maintainer token." },
  {
    name: "INNKEEP_WEBHOOK_SECRET",
    meaning:
      "The secret with which `dev listen` signs messages. If it is not set, each start creates a new one.",
  },
  { name: "INNKEEP_PROFILE", meaning: "The profile that commands use. See `innkeep config`." },
  {
    name: "INNKEEP_MATRIX",
    meaning:
      "The matrix of a CI job as JSON. Each job of the matrix then reports and resolves its own failures. See docs/junit.md.",
  },
  {
    name: "INNKEEP_MCP_WORK",
    meaning: "`true`: `mcp` also offers the tools for work on approved plans, as with --work.",
  },
  { name: "INNKEEP_CONSOLE_URL", meaning: "Address of the console; default: /console on the server." },
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
    meaning: "The number of connections to PostgreSQL that the server opens; default: 10.",
  },
  {
    name: "INNKEEP_S3_URL, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY",
    meaning:
      "Address of the S3 store for the server's files, and the key for it. The address can also contain the key.",
  },
  {
    name: "INNKEEP_BACKUP_RECIPIENT",
    meaning:
      "Public keys of the encryption tool `age`, separated by commas. Backups are encrypted for these keys.",
  },
  {
    name: "INNKEEP_BACKUP_IDENTITY_FILE",
    meaning:
      "File with secret keys of the encryption tool `age`. They decrypt backups that are restored or verified.",
  },
  { name: "INNKEEP_BACKUP_SCRATCH", meaning: "Folder in which backups are restored to verify them." },
  {
    name: "INNKEEP_BACKUP_DRILL",
    meaning: "The time at which `serve` creates and verifies a backup each night. See docs/operating.md.",
  },
  {
    name: "VISUAL, EDITOR",
    meaning: "The editor that `faq edit` opens; default: vi, or notepad on Windows.",
  },
  {
    name: "INNKEEP_PLAN_FILE, INNKEEP_PLAN_HASH, INNKEEP_SUMMARY, INNKEEP_DECISION_NOTE, INNKEEP_RUN_ID, INNKEEP_FEEDBACK_ID, INNKEEP_THREAD_URL",
    meaning:
      "`agent work` sets these for its command. They describe the approved proposal. See docs/agents.md.",
  },
  {
    name: "INNKEEP_NO_UPDATE_NOTICE",
    meaning: "When set, commands do not look for newer versions.",
  },
  {
    name: "INNKEEP_UPDATE_REGISTRY, INNKEEP_UPDATE_NAME",
    meaning:
      "The npm registry that has the package, and the name of the package there. Commands look for newer versions only if both are set.",
  },
  { name: "CI", meaning: "When set, commands ask no questions and open no browser." },
  { name: "TERM", meaning: "`dumb`: no colours and no progress bars." },
  { name: "NO_COLOR", meaning: "When set, the output has no colours." },
  { name: "FORCE_COLOR", meaning: "When set, the output has colours even without a terminal." },
  {
    name: "HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
    meaning: "Addresses of proxies, and hosts that are reached without a proxy.",
  },
  { name: "NODE_EXTRA_CA_CERTS", meaning: "File of further certificate authorities to trust." },
  {
    name: "ALL_PROXY, NODE_TLS_REJECT_UNAUTHORIZED",
    meaning: "Do not set these variables: `innkeep doctor` warns about them.",
  },
  {
    name: "XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS",
    meaning:
      "The address of the session bus of Linux, through which the keychain is used. Innkeep usually finds it without these variables.",
  },
  {
    name: "XDG_CONFIG_HOME, XDG_STATE_HOME, APPDATA, LOCALAPPDATA",
    meaning: "Folders for credentials and state if INNKEEP_CONFIG_DIR and INNKEEP_STATE_DIR are not set.",
  },
  {
    name: "XDG_CACHE_HOME",
    meaning: "Folder in which Node 22 and newer cache the compiled code of Innkeep; default: ~/.cache.",
  },
  {
    name: "DISPLAY, WAYLAND_DISPLAY, SSH_CONNECTION, SSH_TTY, WSL_DISTRO_NAME",
    meaning: "`auth login` reads these to find out whether it can open a browser on this machine.",
  },
  {
    name: "PATH",
    meaning:
      "`serve --demo` and `mcp --setup` print commands with `innkeep` if it is on the PATH, otherwise with `node` and a file.",
  },
  {
    name:
      "GITHUB_*, GITLAB_CI, CI_*, CIRCLECI, CIRCLE_*, TF_BUILD, SYSTEM_*, BUILD_*, AGENT_*, RUNNER_TEMP, BUILDKITE, " +
      "BUILDKITE_*, BITBUCKET_*, BITRISE_*, GIT_*, TEAMCITY_*, JENKINS_URL, TAG_NAME, BRANCH_NAME, JOB_NAME",
    meaning:
      "They describe a CI run. `feedback send` and `feedback resolve` read its id, commit, ref and job; `changelog release` reads its tag. See docs/ci.md.",
  },
];

/** The environment variables that the server reads. docs/operating.md explains them. */
const ofServer: readonly Variable[] = [
  { name: "INNKEEP_HOST, INNKEEP_PORT", meaning: "Where `serve` listens." },
  {
    name: "INNKEEP_FEEDBACK_BYTES_PER_HOUR, INNKEEP_STORED_BYTES_PER_APP",
    meaning:
      "How many bytes of feedback a key may send in an hour, and how many bytes of files an app may have.",
  },
  {
    name: "INNKEEP_SECRET, INNKEEP_SECRET_OLD",
    meaning: "Secrets that encrypt stored data: the current secret, and older secrets.",
  },
  {
    name: "INNKEEP_RATE_LIMITS, INNKEEP_BUDGETS",
    meaning: "Limits for the requests of one client, and for the requests of all clients together.",
  },
  { name: "INNKEEP_CORS_ORIGINS", meaning: "Origins whose pages may call the API." },
  {
    name: "INNKEEP_TRUSTED_PROXIES",
    meaning: "Networks of proxies whose header X-Forwarded-For is trusted.",
  },
  {
    name: "INNKEEP_PRIVATE_WEBHOOKS",
    meaning: "Whether the addresses of chats, webhooks and push services may be in private networks.",
  },
  {
    name: "INNKEEP_SMTP_URL, INNKEEP_MAIL_FROM",
    meaning: "The mail server that sends Innkeep's mails, and the sender's address of these mails.",
  },
  { name: "INNKEEP_IMAP_URL", meaning: "The mailbox that receives the mails with which senders answer." },
  {
    name: "INNKEEP_REDIRECT_URL",
    meaning:
      "One more allowed redirect address for sign-in codes. Addresses with the URL schemes of the apps are always allowed.",
  },
  { name: "INNKEEP_REGISTRATION", meaning: "`off`: nobody can create an account." },
  { name: "INNKEEP_IDENTITY_PROVIDERS", meaning: "Identity providers for signing in, as JSON." },
  { name: "INNKEEP_MCP", meaning: "`off`: agents cannot call the tools over HTTP." },
  { name: "INNKEEP_ATTESTATION", meaning: "Whether testers' devices are checked." },
  {
    name: "INNKEEP_PLAY_PACKAGES, INNKEEP_PLAY_CERTIFICATES, INNKEEP_PLAY_DECRYPTION_KEY, INNKEEP_PLAY_VERIFICATION_KEY",
    meaning: "The apps whose testers' devices are checked, and the keys for these checks.",
  },
  {
    name: "INNKEEP_METRICS_TOKEN, INNKEEP_OPERATOR_TOKEN",
    meaning: "Bearer token for /metrics. The second variable is the older name of the first.",
  },
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
    meaning:
      "`on`: the server leaves the log of the SQLite database to Litestream, which copies the database. See docs/operating.md.",
  },
  {
    name: "INNKEEP_ERASURES",
    meaning:
      "The file that records erasures of people, so that they can be repeated after a restore; default: `erasures.ndjson` in the data folder.",
  },
  { name: "INNKEEP_LOG_LEVEL", meaning: "How much `serve` logs." },
];

/** All variables that the programs read. `innkeep help environment` prints them. */
export const variables: readonly Variable[] = [...ofCommands, ...ofServer];
