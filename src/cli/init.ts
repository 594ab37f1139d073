import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Command, Option } from "commander";
import { redactText } from "../client/redact.ts";
import { clientOf } from "../client/send.ts";
import { systemReason } from "../words/phrases.ts";
import { oneLine } from "../words/visible.ts";
import { CliError, usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, mutates, type Setup, startInvocation } from "./core/command.ts";
import { connect, DryRun, textOfRequest } from "./core/connection.ts";
import type { Context, FoundCredential, GlobalFlags, Invocation, Server } from "./core/context.ts";
import { missingFlags } from "./core/failures.ts";
import { replaceFile } from "./core/files.ts";
import { reachableApps } from "./core/ids.ts";
import { agrees, canAsk, confirm } from "./core/input.ts";
import { note, printOne } from "./core/output.ts";
import {
  checkProject,
  missingCredential,
  projectFileName,
  projectText,
  readProjectFile,
  webAddress,
  wrongKindMessage,
} from "./core/settings.ts";
import { checkCredential, storeCredential } from "./core/store-credential.ts";
import { reports } from "./delivery/report.ts";
import { itemOf, remind, sendNew } from "./delivery/send.ts";
import { draftOf } from "./delivery/send-report.ts";
import type { ReportContent } from "./delivery/stored.lazy.ts";

/** Adds `innkeep init`, which sets up a project and sends a first report. */
export function addInit(init: Command, setup: Setup): void {
  mutates(init)
    .option("--server <url>", "address of the server; if it is not set anywhere, you are asked for it")
    .option("--app <id>", "id or name of the app, for commands with a maintainer token")
    .option("--store", "store the app key for this server on this machine, without asking")
    .option("--insecure-storage", "store the key in a file that only you can read, not in the keychain")
    .option("--send", "send a first report, without asking")
    .option("--message <text>", "text of the first report")
    .addOption(
      new Option(
        "--ci <service>",
        "print the lines to add for this CI service; default: the services whose files are in this folder",
      ).choices(serviceNames),
    )
    .option("-y, --yes", "replace an innkeep.json that has other content, without asking")
    .addHelpText("after", notes);
  addExamples(
    init,
    "innkeep init",
    "innkeep init --server https://inn.example.org --app Larder --api-key-file - --store --send < key.txt",
    "innkeep init --server https://inn.example.org --ci gitlab --dry-run",
  );
  commandAction<InitFlags>(init, setup, setUp);
}

const serviceNames = ["github", "gitlab", "circleci", "jenkins", "shell", "none"] as const;

const notes = `
Writes innkeep.json into this folder. The file contains the server and the app, but no secret. The app key comes from
--api-key-file, INNKEEP_API_KEY or a stored credential; otherwise you are asked for it. The server must accept the key
before anything is written. The lines for your CI service are printed to standard output.`;

interface InitFlags extends GlobalFlags {
  readonly server?: string;
  readonly store?: boolean;
  readonly insecureStorage?: boolean;
  readonly send?: boolean;
  readonly message?: string;
  readonly ci?: CiService;
}

/**
 * Sets up a project: innkeep.json, an app key, a first report and lines for CI. Checks everything before it
 * writes. (rule L40)
 */
async function setUp(invocation: Invocation, flags: InitFlags): Promise<undefined> {
  const { address: server, isProject } = await serverOf(invocation, flags);
  // A stranger may have written innkeep.json. Credentials go only to a server that the person named.
  const own = isProject ? invocation : startInvocation(invocation.context, { ...flags, baseUrl: server });
  const plan = await planProjectFile(own, { server, app: flags.app });
  const key = await checkedKey(own, flags);
  const draft = key && (await draftOfFirst(own, flags));
  if (!flags.dryRun) await writeProjectFile(plan);
  noteFile(own, plan);
  const isStored = key !== undefined && (await storeKey(own, flags, key));
  const report = draft && (await firstReport(own, flags, { draft, key }));
  const ci = ciLines(own.context, { server, service: flags.ci });
  noteNextSteps(own, key, isStored, report);
  const done = {
    ...(flags.dryRun && { dryRun: true }),
    server,
    app: plan.app ?? null,
    file: plan.file,
    change: plan.change,
    key: key ? { source: key.source, stored: isStored } : null,
    report: report ?? null,
    ci,
  };
  printOne(own, done, () => [report?.request, ...ci.map(({ text }) => text)].filter(Boolean).join("\n\n"));
}

/** Returns the server from a flag or a setting, or asks. Throws a usage error if nobody can be asked. */
async function serverOf(invocation: Invocation, { server, baseUrl }: InitFlags): Promise<Server> {
  if (server !== undefined && baseUrl !== undefined && server !== baseUrl)
    throw usageError("--server and --base-url name different servers.", "Give one of them.");
  if (server !== undefined) return { address: webAddress(server, "--server"), from: "--server" };
  const named = invocation.server();
  const isGuess = named.from === "the default" || named.from === "the last sign-in";
  if (!isGuess) return named;
  if (!canAsk(invocation)) throw missingFlags(["--server"]);
  const typed = await invocation.context.io.ask(`Address of the server [${named.address}]: `);
  if (typed.trim() === "") return named;
  return { address: webAddress(typed, "What you typed"), from: "what you typed" };
}

function noteFile(invocation: Invocation, { file, change, text }: ProjectPlan): void {
  const { dryRun } = invocation.flags;
  if (change === "unchanged") note(invocation, `${file} has this content already.`);
  else note(invocation, `${dryRun ? "Would write" : "Wrote"} ${file}: ${text.trim()}`);
}

/** Prints the remaining steps for the user. */
function noteNextSteps(
  invocation: Invocation,
  key: InitKey | undefined,
  isStored: boolean,
  report: FirstReport | undefined,
): void {
  const { flags } = invocation;
  if (!key)
    note(
      invocation,
      "There is no app key yet. Create one in the console, and store it with `innkeep auth set api-key`.",
    );
  else if (!isStored && key.isGiven)
    note(
      invocation,
      `The key is not stored. If only innkeep.json names a server, commands send no key to that server. Run \`innkeep init --server ${invocation.baseUrl()} --store\`, or set INNKEEP_BASE_URL.`,
    );
  if (key && !report && !flags.dryRun)
    note(
      invocation,
      "No report was sent. `innkeep init --send` sends a first report, and `innkeep feedback send` sends any other report.",
    );
}

/** The change of the innkeep.json in the working folder. */
interface ProjectPlan {
  readonly file: string;
  readonly change: "created" | "changed" | "unchanged";
  readonly app?: string | undefined;
  readonly text: string;
}

interface ProjectFields {
  readonly server: string;
  readonly app?: string | undefined;
}

/**
 * Plans the new innkeep.json. Throws a usage error if the present file is damaged, if the new file would
 * contain a secret, or if the person refuses.
 */
async function planProjectFile(invocation: Invocation, wanted: ProjectFields): Promise<ProjectPlan> {
  const { cwd, home } = invocation.context;
  const file = join(cwd, projectFileName);
  const present = projectText(file);
  const before = present === undefined ? undefined : checkProject(file, present);
  const app = wanted.app?.trim() || before?.app || (await askForApp(invocation));
  const fields = {
    ...(present && JSON.parse(withoutByteOrderMark(present))),
    server: wanted.server,
    ...(app && { app }),
  };
  const text = `${JSON.stringify(fields, null, 2)}\n`;
  checkProject(file, text);
  if (redactText(text) !== text)
    throw usageError("The server and the app must not contain a secret: other people read the project.");
  if (before && before.server === wanted.server && before.app === app)
    return { file, change: "unchanged", app, text };
  const above = present === undefined ? readProjectFile({ cwd: dirname(resolve(cwd)), home }) : undefined;
  if (above && cwd !== home) note(invocation, `${above.file} will no longer be used in this folder.`);
  if (before) await confirm(invocation, `Replace the content of ${file}${describeFields(before)}?`);
  return { file, change: before ? "changed" : "created", app, text };
}

const withoutByteOrderMark = (text: string): string => text.replace(/^\uFEFF/, "");

const describeFields = ({ server, app }: Partial<ProjectFields>): string =>
  ` (${[server ?? "no server", app ?? "no app"].join(", ")})`;

/** Writes innkeep.json completely or not at all. Throws a CliError if the folder cannot be written. */
async function writeProjectFile({ file, change, text }: ProjectPlan): Promise<void> {
  if (change === "unchanged") return;
  await replaceFile(file, text).catch((cause: unknown) => {
    throw new CliError({
      exit: "unexpected",
      code: "storage",
      message: `${file} cannot be written (${systemReason(cause)}).`,
      next: "Run the command in a folder that you can write to.",
    });
  });
}

/** Asks for the project's app. An empty answer means the token's only app, or no app. */
async function askForApp(invocation: Invocation): Promise<string | undefined> {
  if (!canAsk(invocation)) return undefined;
  const names = (await knownApps(invocation)).map(({ name }) => oneLine(name));
  const only = names.length === 1 ? names[0] : undefined;
  const choice = names.length > 1 ? `, one of ${names.join(", ")}` : "";
  const question = `Which app do commands with a maintainer token use? Name or id${choice} [${only ?? "none"}]: `;
  return (await invocation.context.io.ask(question)).trim() || only;
}

/** Returns the apps of the maintainer token. Empty without a token, or after any error. */
async function knownApps(invocation: Invocation): Promise<readonly { readonly name: string }[]> {
  const client = () => clientOf(connect(invocation, { attempts: 1, timeoutMs: 5_000 }));
  try {
    const token = await invocation.credential("maintainerToken");
    return token ? await reachableApps({ ...invocation, client }) : [];
  } catch {
    return [];
  }
}

type CiService = (typeof serviceNames)[number];

/** The lines to add for one CI service: the file to which they belong, and their text. */
interface CiLines {
  readonly service: CiService;
  readonly file: string | null;
  readonly text: string;
}

const command =
  'innkeep feedback send --base-url SERVER --type bug --subject "Tests failed" --message @test-output.txt --dedupe-key tests --best-effort';

/** A comment in the lines for CI. The lines call an installed command, so no package registry is needed. (rule L56) */
const installed =
  "innkeep must be installed in the job: npm install --global TARBALL, see docs/ci.md, Where the command comes from";

const tests = "npm test > test-output.txt 2>&1 || { cat test-output.txt; exit 1; }";

const github = `# .github/workflows/…: in the job of the tests; INNKEEP_API_KEY is a secret of the repository
      - run: ${tests}
      - if: failure()
        uses: innkeep/innkeep@v0
        with:
          command: feedback send
          base-url: SERVER
          api-key: \${{ secrets.INNKEEP_API_KEY }}
          type: bug
          subject: Tests failed
          message: "@test-output.txt"
          dedupe-key: tests
          best-effort: true`;

const gitlab = `# .gitlab-ci.yml: in the job of the tests; INNKEEP_API_KEY is a masked variable of the project
# ${installed}
  script:
    - ${tests}
  after_script:
    - |
      if [ "$CI_JOB_STATUS" = failed ]; then
        ${command}
      fi`;

const circleci = `# .circleci/config.yml: in the steps of the tests; INNKEEP_API_KEY is a variable of the project
# ${installed}
      - run: ${tests}
      - run:
          name: Report the failure
          when: on_fail
          command: ${command}`;

const jenkins = `// Jenkinsfile: innkeep-api-key is a credential of the kind Secret text
// ${installed}
  environment {
    INNKEEP_API_KEY = credentials('innkeep-api-key')
  }
  stages {
    stage('Test') {
      steps {
        sh '${tests}'
      }
    }
  }
  post {
    failure {
      sh '${command}'
    }
  }`;

const shell = `# in a step that runs after a failure; INNKEEP_API_KEY is a secret of your CI service
# ${installed}
${command}`;

const services: Readonly<Record<Exclude<CiService, "none">, { file: string | null; text: string }>> = {
  github: { file: ".github/workflows", text: github },
  gitlab: { file: ".gitlab-ci.yml", text: gitlab },
  circleci: { file: ".circleci/config.yml", text: circleci },
  jenkins: { file: "Jenkinsfile", text: jenkins },
  shell: { file: null, text: shell },
};

/**
 * Returns the CI lines for `given`. Without `given`, uses the services found in the folder. The default is a
 * shell.
 */
function ciLines(
  { cwd }: Pick<Context, "cwd">,
  { server, service: given }: { readonly server: string; readonly service: CiService | undefined },
): CiLines[] {
  if (given === "none") return [];
  const names = given ? [given] : namesOf(cwd);
  // The path of the address may contain characters with a special meaning in a shell. So they are percent-encoded.
  const address = server.replace(/[^\w.:/%[\]-]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return names.map((service) => {
    const { file, text } = services[service];
    // The lines contain the address, because a job sends no key to a server that only innkeep.json names.
    return { service, file, text: text.replaceAll("SERVER", address) };
  });
}

const serviceFiles = [
  ["github", ".github"],
  ["gitlab", ".gitlab-ci.yml"],
  ["circleci", ".circleci"],
  ["jenkins", "Jenkinsfile"],
] as const;

function namesOf(cwd: string): readonly Exclude<CiService, "none">[] {
  const found = serviceFiles.filter(([, file]) => existsSync(join(cwd, file))).map(([service]) => service);
  return found.length > 0 ? found : ["shell"];
}

/** The result of sending the first report. With `--dry-run`, only `request` is set. */
interface FirstReport {
  readonly id?: string | undefined;
  readonly consoleUrl?: string | undefined;
  readonly request?: string;
}

interface ReportFlags {
  readonly send?: boolean;
  readonly message?: string;
  readonly dryRun?: boolean;
}

/** Returns the first report without sending it. Throws a usage error for an invalid text. */
const draftOfFirst = (
  invocation: Invocation,
  { message = "A first report, sent by `innkeep init`. You can delete it." }: ReportFlags,
): Promise<ReportContent> =>
  draftOf(invocation, {
    type: "general",
    subject: "First report",
    message,
    // If `init` runs again, the server adds the report to the same thread.
    dedupeKey: "innkeep-init",
    ciMetadata: false,
  });

/** Sends a first report with `--send`, or if the person agrees. Throws if the report does not arrive. */
async function firstReport(
  invocation: Invocation,
  flags: ReportFlags,
  { draft, key }: { readonly draft: ReportContent; readonly key: InitKey },
): Promise<FirstReport | undefined> {
  if (!flags.send && !flags.dryRun && !(await wantsToSend(invocation, draft))) return undefined;
  try {
    const own = withKey(invocation, key);
    const { id, consoleUrl } = await sendNew(own, itemOf(own, draft), reports);
    note(invocation, `Sent a first report. ${oneLine(consoleUrl ?? "")}`.trim());
    await remind(invocation, reports);
    return { id, consoleUrl };
  } catch (error) {
    if (error instanceof DryRun) return { request: textOfRequest(error.request) };
    throw error;
  }
}

/** Returns an invocation that uses the key. The person may have typed the key without storing it. */
function withKey(invocation: Invocation, key: InitKey): Invocation {
  const own: Invocation = { ...invocation, credential: async () => key };
  const sender = connect(own);
  return { ...own, sender: () => sender, client: () => clientOf(sender) };
}

async function wantsToSend(invocation: Invocation, { fields }: ReportContent): Promise<boolean> {
  if (!canAsk(invocation)) return false;
  const { subject, message } = fields;
  note(invocation, `\n  ${subject}\n  ${message}\n`);
  return agrees(invocation.context, "Send this as a first report?");
}

/** An app key that the server accepts. */
interface InitKey extends FoundCredential {
  /** True if the person typed the key during this command. */
  readonly isTyped?: true;
}

interface KeyFlags {
  readonly store?: boolean;
  readonly insecureStorage?: boolean;
  readonly send?: boolean;
  readonly dryRun?: boolean;
}

/**
 * Returns an accepted key; undefined without a key. Throws a CliError for a refused key, or if `--send` or
 * `--store` needs a key.
 */
async function checkedKey(invocation: Invocation, flags: KeyFlags): Promise<InitKey | undefined> {
  const key = (await invocation.credential("appKey")) ?? (await typedKey(invocation));
  if (!key) {
    if (flags.send || flags.store) throw missingCredential(invocation, "appKey");
    return undefined;
  }
  const server = invocation.baseUrl();
  const { valid, problem } = await checkCredential(invocation, { server, kind: "appKey" }, key);
  if (valid) return key;
  throw new CliError({
    exit: valid === false ? "authentication" : "tryLater",
    code: valid === false ? "invalid_api_key" : "not_checked",
    message: `The app key (${key.source}) could not be used at ${server}: ${problem}.`.replace(/\.\.$/, "."),
    next: "Nothing was written. Check --server and the key.",
  });
}

async function typedKey(invocation: Invocation): Promise<InitKey | undefined> {
  if (!canAsk(invocation)) return undefined;
  const question = "The app key, created in the console (empty: continue without a key): ";
  const secret = (await invocation.context.io.ask(question, { hidden: true })).trim();
  if (secret === "") return undefined;
  const key = { secret, source: "what you typed", isGiven: true, isTyped: true } as const;
  const fault = wrongKindMessage(key, "appKey");
  if (fault !== undefined) throw usageError(fault.replace(/^w/, "W"));
  return key;
}

/** Stores a key with `--store`, or if the person agrees. Returns whether the key is stored. */
async function storeKey(invocation: Invocation, flags: KeyFlags, key: InitKey): Promise<boolean> {
  if (!key.isGiven) return true;
  if (flags.dryRun) {
    if (flags.store) note(invocation, `Would store the app key for ${invocation.baseUrl()} on this machine.`);
    return false;
  }
  if (!flags.store && !(await wantsToStore(invocation))) return false;
  await storeCredential(invocation, flags, { kind: "appKey", secret: key.secret });
  return true;
}

async function wantsToStore(invocation: Invocation): Promise<boolean> {
  if (!canAsk(invocation)) return false;
  const question = `Store the key for ${invocation.baseUrl()} on this machine, outside of the project?`;
  return agrees(invocation.context, question, "yes");
}
