import { type Command, Help, type Option } from "commander";
import { isOfEveryChange } from "./flags.ts";

/** How help is formatted: without aliases, and without the flags that all changing commands have. */
export const helpStyle = {
  subcommandTerm: (command: Command): string => `${command.name()} ${argumentsOf(command)}`.trim(),
  commandUsage: (command: Command): string =>
    `innkeep ${wordsOf(command)} ${command.usage()}`.replace(/ +/g, " "),
  visibleOptions: (command: Command): Option[] =>
    new Help().visibleOptions(command).filter((option) => !isOfEveryChange(option)),
  optionDescription: (option: Option): string =>
    `${new Help().optionDescription(option)}${option.mandatory ? " (required)" : ""}`,
};

/** The same for the whole program, without its options: `innkeep help options` shows them. */
export const programHelpStyle = {
  ...helpStyle,
  formatHelp: (command: Command, help: Help): string =>
    new Help().formatHelp(command, Object.assign(help, { visibleOptions: () => [] })),
};

/** Adds to the help of each subcommand its examples, and the command that lists the global options. */
export function addHelpEndings(command: Command): void {
  for (const one of command.commands) {
    one.addHelpText("after", () => endingOf(one));
    addHelpEndings(one);
  }
}

function endingOf(command: Command): string {
  const lines = examples[wordsOf(command)] ?? [];
  const shown = lines.length === 0 ? "" : `\nExamples:\n${lines.map((line) => `  ${line}`).join("\n")}\n`;
  return `${shown}\nGlobal options: innkeep help options`;
}

/** The words that call a command, without the program's own name. */
export function wordsOf(command: Command): string {
  const words = [];
  for (let at = command; at.parent; at = at.parent) words.unshift(at.name());
  return words.join(" ");
}

const argumentsOf = (command: Command): string =>
  command.registeredArguments
    .map((argument) => (argument.required ? `<${argument.name()}>` : `[${argument.name()}]`))
    .join(" ");

/** The examples of `innkeep feedback`. */
const feedbackExamples: Readonly<Record<string, readonly string[]>> = {
  "feedback send": [
    'innkeep feedback send --type bug --message "The list is empty after syncing" --image screen.png',
    "innkeep feedback send --type bug --subject 'Tests fail' --message @log.txt --dedupe-key tests --best-effort",
    "innkeep feedback send --type bug --message 'The build fails' --attach build.log",
    "innkeep feedback send --junit 'reports/*.xml' --best-effort",
  ],
  "feedback resolve": [
    "innkeep feedback resolve --junit 'reports/*.xml' --run-status success",
    "innkeep feedback resolve --dedupe-key nightly --run-status success --dedupe-run 1234",
  ],
  "feedback resend": ["innkeep feedback resend --list", "innkeep feedback resend --all"],
  "feedback discard": ["innkeep feedback discard 01a1fda4-237d-759b-ad89-7cf5663516dc --yes"],
  "feedback list": [
    "innkeep feedback list --app Larder --status open --from 2026-11-01",
    "innkeep feedback list --app Larder --tag crash --tag android",
  ],
  "feedback inbox": ["innkeep feedback inbox --app Larder", "innkeep feedback inbox --type bug"],
  "feedback view": [
    "innkeep feedback view 01a1fda4",
    "innkeep feedback view 01a1fda4 --raw feedback.message",
  ],
  "feedback edit": ["innkeep feedback edit 01a1fda4 --status resolved"],
  "feedback assign": [
    "innkeep feedback assign 01a1fda4 me",
    "innkeep feedback assign 01a1fda4 ada@example.org",
  ],
  "feedback saved-replies": ["innkeep feedback saved-replies --app Larder"],
  "feedback tags": ["innkeep feedback tags --app Larder"],
  "feedback tag": ["innkeep feedback tag 01a1fda4 crash android"],
  "feedback untag": ["innkeep feedback untag 01a1fda4 android"],
  "feedback reply": ['innkeep feedback reply 01a1fda4 --body "Fixed in 2.4.0. Thank you!"'],
  "feedback note": ["innkeep feedback note 01a1fda4 --body @note.md"],
};

const all: Readonly<Record<string, readonly string[]>> = {
  serve: ["innkeep serve --demo", "innkeep serve --data /srv/innkeep --base-url https://inn.example.org"],

  dev: ["innkeep dev", "innkeep dev --seed seed.yaml"],
  "dev exec": ["innkeep dev exec -- npm test", "innkeep dev exec --seed seed.yaml -- npx playwright test"],
  "dev clock": [
    "innkeep dev clock +1d",
    "innkeep dev clock -2h",
    "innkeep dev clock set 2027-03-01T09:00:00Z",
  ],
  "dev faults add": ["innkeep dev faults add /api/v1/feedback --status 503 --times 2 --delay-ms 1500"],
  "dev faults list": ["innkeep dev faults list"],
  "dev faults clear": ["innkeep dev faults clear"],
  "dev reset": ["innkeep dev reset"],
  "dev snapshot save": ["innkeep dev snapshot save day-9"],
  "dev snapshot load": ["innkeep dev snapshot load day-9"],
  "dev snapshot list": ["innkeep dev snapshot list"],

  ...feedbackExamples,

  "faq list": ["innkeep faq list", "innkeep faq list --app Larder --fields id,question"],
  "faq view": ["innkeep faq view 01a1fda4", "innkeep faq view 01a1fda4 --raw answer > answer.md"],
  "faq create": ['innkeep faq create --question "How do I sync?" --answer @answer.md'],
  "faq edit": ["innkeep faq edit 01a1fda4", "innkeep faq edit 01a1fda4 --answer @answer.md"],
  "faq delete": ["innkeep faq delete 01a1fda4 --yes"],
  "faq reorder": ["innkeep faq reorder 01a1fda4", "innkeep faq reorder 01a1fda4 01b2c3d4 --after 01c4d5e6"],
  "faq pull": ["innkeep faq pull", "innkeep faq pull docs/faq.yaml --app Larder"],
  "faq diff": ["innkeep faq diff", "innkeep faq diff docs/faq --exit-code"],
  "faq push": [
    "innkeep faq push --dry-run",
    "innkeep faq push docs/faq --prune --yes",
    "innkeep faq push --take mine 01a1fda4",
  ],

  "changelog list": ["innkeep changelog list", "innkeep changelog list --all --drafts --app Larder"],
  "changelog view": ["innkeep changelog view 2.4.0", "innkeep changelog view 2.4.0 --raw body > notes.md"],
  "changelog create": [
    'innkeep changelog create --version 2.4.0 --title "Faster lists" --item added="Sort by date" --publish',
    "innkeep changelog create --version 2.4.0 --body @notes.md --publish --update",
  ],
  "changelog edit": ['innkeep changelog edit 2.4.0 --title "Faster lists and syncing"'],
  "changelog publish": ["innkeep changelog publish 2.4.0"],
  "changelog import": [
    "innkeep changelog import",
    "innkeep changelog import --format git --from v2.3.0 --to v2.4.0 --dry-run",
  ],
  "changelog release": [
    "innkeep changelog release",
    "innkeep changelog release --version 2.4.0 --notes @notes.md --platform-version android=1.2.0",
  ],
  "changelog export": [
    "innkeep changelog export --platform android --out fastlane/metadata/android/en-US",
    "innkeep changelog export --platform ios --version 2.4.0 --out fastlane/metadata/en-US --dry-run",
  ],
  "changelog delete": ["innkeep changelog delete 2.4.0 --yes"],

  "config list": ["innkeep config list"],
  "config set": [
    "innkeep config set server https://feedback.example.com --profile work",
    "innkeep config set app Larder --profile work",
  ],
  "config unset": ["innkeep config unset app --profile work"],
  "config use": ["innkeep config use work"],
  "config delete": ["innkeep config delete work --yes"],

  "agent list": [
    "innkeep agent list --waiting approved --wait 8h",
    "innkeep agent list --status open --waiting none",
  ],
  "agent runs": ["innkeep agent runs --status approved"],
  "agent run": ["innkeep agent run 01a1fda4-335d-7457-848d-a03caceeefed --raw plan"],
  "agent claim": ["innkeep agent claim 01a1fda4-335d-7457-848d-a03caceeefed --worker nightly"],
  "agent progress": [
    'innkeep agent progress 01a1fda4-335d-7457-848d-a03caceeefed --claim 01a1fda4-4b0c-7f05-a9e5-0c41c5a2d9b1 --text "Tests pass"',
  ],
  "agent outcome": [
    'innkeep agent outcome 01a1fda4-335d-7457-848d-a03caceeefed --claim 01a1fda4-4b0c-7f05-a9e5-0c41c5a2d9b1 --status succeeded --summary "Photos are kept" --link https://github.com/larder/larder/pull/8',
  ],
  "agent work": [
    "innkeep agent work --worker nightly -- ./carry-out.sh",
    "innkeep agent work --once --app Larder --report-output -- npm run carry-out",
  ],
  "agent thread": ["innkeep agent thread 01a1fda4-237d-759b-ad89-7cf5663516dc"],
  "agent propose": [
    'innkeep agent propose 01a1fda4-237d-759b-ad89-7cf5663516dc --summary "Keep the photo" --plan @plan.md',
  ],
  "agent decision": ["innkeep agent decision 01a1fda4-335d-7457-848d-a03caceeefed --wait 8h"],

  "auth login": ["innkeep auth login --base-url https://inn.example.org", "innkeep auth login --no-browser"],
  "auth profile": ["innkeep auth profile", "innkeep auth profile --timezone Europe/London"],
  "auth set": ["innkeep auth set token --base-url https://inn.example.org < token.txt"],
  "auth token": ["innkeep auth token device-token | other-program"],
  "auth status": ["innkeep auth status", "innkeep auth status --offline --json"],
  "auth logout": ["innkeep auth logout", "innkeep auth logout device-token"],

  "task list": ["innkeep task list", "innkeep task list --watch"],
  "slot list": ["innkeep slot list", "innkeep slot list --open"],
  "slot request": ["innkeep slot request 01a1fe67"],
  "slot rotate-key": ["innkeep slot rotate-key 01a1fe67 --with-test-keys"],
  "proof submit": ['innkeep proof submit 01a1fe67 --image screen.png --note "Sorted the list."'],
  "proof resend": ["innkeep proof resend --list", "innkeep proof resend --all"],
  "proof discard": ["innkeep proof discard 01a1fda4-237d-759b-ad89-7cf5663516dc --yes"],
  "session report": [
    "innkeep session report --started-at 2026-11-21T09:00:00Z --ended-at 2026-11-21T09:04:00Z --screen Recipes --screen Settings",
  ],
  "session status": ["innkeep session status --test-key-file key.txt"],

  "testing listing list": ["innkeep testing listing list --app Larder"],
  "testing listing view": ["innkeep testing listing view 01a1fe67-ea45-7574-8a18-9e786f3f8d39"],
  "testing listing create": [
    "innkeep testing listing create --app-name Larder --package-name org.example.larder " +
      "--opt-in-url https://play.example.org/larder --test-brief @brief.md --screen Recipes --verification-tier sdk",
  ],
  "testing listing edit": [
    "innkeep testing listing edit 01a1fe67-ea45-7574-8a18-9e786f3f8d39 --seats 14 --test-brief @brief.md",
  ],
  "testing cycle list": ["innkeep testing cycle list 01a1fe67-ea45-7574-8a18-9e786f3f8d39"],
  "testing cycle create": [
    "innkeep testing cycle create 01a1fe67-ea45-7574-8a18-9e786f3f8d39 --starts-on 2026-12-01 --timezone Europe/London",
  ],
  "testing cycle view": ["innkeep testing cycle view 01a1fe67-ea46-7268-9b0f-2c008d09e55b"],
  "testing cycle cancel": ["innkeep testing cycle cancel 01a1fe67-ea46-7268-9b0f-2c008d09e55b --yes"],
  "testing cycle report": ["innkeep testing cycle report 01a1fe67-ea46-7268-9b0f-2c008d09e55b --json"],
  "testing slot accept": ["innkeep testing slot accept 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b"],
  "testing slot decline": ["innkeep testing slot decline 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b --yes"],
  "testing slot remove": ["innkeep testing slot remove 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b --yes"],
  "testing slot rotate-key": ["innkeep testing slot rotate-key 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b --yes"],
  "testing slot confirm-join": ["innkeep testing slot confirm-join 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b"],
  "testing slot assign": [
    "innkeep testing slot assign 01a1fe67-ea4e-71ef-914a-f7d3fc029b5b --email ada@example.org",
  ],

  init: [
    "innkeep init",
    "innkeep init --server https://inn.example.org --app Larder --api-key-file - --store --send < key.txt",
    "innkeep init --server https://inn.example.org --ci gitlab --dry-run",
  ],

  "app list": ["innkeep app list", "innkeep app list --fields id,name"],
  "app view": ["innkeep app view Larder"],
  "app edit": [
    "innkeep app edit Larder --feedback-enabled off --retention-days 365",
    "innkeep app edit 01a1fda3 --name Pantry --github-repository example/pantry",
    "innkeep app edit Larder --chat-webhook-url - < address.txt",
  ],
  "key list": ["innkeep key list", "innkeep key list --app Larder"],
  "key revoke": ["innkeep key revoke 01a1fda3 --yes"],
  "token list": ["innkeep token list", "innkeep token list --fields id,label,scopes"],
  "token revoke": ["innkeep token revoke 01a1fda3 --yes", "innkeep token revoke --self --yes"],
  "audit list": [
    "innkeep audit list --action key.delete --from 2026-11-01",
    "innkeep audit list --actor ada@example.org --app Larder",
    "innkeep audit list --all --ndjson > audit.ndjson",
  ],

  export: [
    "innkeep export --app Larder --files",
    "innkeep export --app Larder --output larder.ndjson --force",
  ],
  import: ["innkeep import Larder-2026-11-23.tar --owner ada@example.org --data /srv/innkeep --name Pantry"],

  "admin user create": ["innkeep admin user create --email ada@example.org --password-stdin < password.txt"],
  "admin user erase": ["innkeep admin user erase --email grace@example.org --yes"],
  "admin user remove-second-factor": ["innkeep admin user remove-second-factor --email ada@example.org"],
  "admin user password": [
    "innkeep admin user password --email ada@example.org --password-stdin < password.txt",
  ],
  "admin app create": ["innkeep admin app create Larder --owner ada@example.org"],
  "admin member list": ["innkeep admin member list --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d"],
  "admin member add": [
    "innkeep admin member add --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d --email ada@example.org --role owner",
  ],
  "admin member role": [
    "innkeep admin member role --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d --email ada@example.org --role viewer",
  ],
  "admin member remove": [
    "innkeep admin member remove --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d --email ada@example.org --yes",
  ],
  "admin key create": [
    "innkeep admin key create --app 01a1fda3-dcee-7447-b6de-42c8c3c82f1d --label iOS --kind intake",
  ],
  "admin key list": ["innkeep admin key list --owner ada@example.org"],
  "admin key revoke": ["innkeep admin key revoke 01a1fda3 --yes"],
  "admin token rotate": ["innkeep admin token rotate 01a1fda3 --grace 10"],
  "admin token create": [
    "innkeep admin token create --kind agent --owner ada@example.org --scope runs:work --expires 2027-01-31",
    "innkeep admin token create --kind agent --owner ada@example.org",
    "innkeep admin token create --kind maintainer --owner ada@example.org --scope changelog:write --scope apps:read",
  ],
  "admin token list": ["innkeep admin token list --json"],
  "admin token revoke": ["innkeep admin token revoke 01a1fda3 --yes"],
  "admin mail test": ["innkeep admin mail test --to ada@example.org"],
  "admin files move": ["innkeep admin files move --to s3 --data /srv/innkeep --yes"],
  "admin migrate": ["innkeep admin migrate --data /srv/innkeep"],
  "admin check": ["innkeep admin check --data /srv/innkeep"],
  "admin repair": ["innkeep admin repair --data /srv/innkeep"],
  "admin secret reset": ["innkeep admin secret reset --data /srv/innkeep --yes"],
  "admin backup": [
    "innkeep admin backup /backups/innkeep-monday.tar --data /srv/innkeep --prove",
    "innkeep admin backup /backups/innkeep-monday.tar.age --data /srv/innkeep --recipient age1…",
    "innkeep admin backup --verify /backups/innkeep-monday.tar.age --identity ~/innkeep-key.txt",
  ],
  "admin restore": [
    "innkeep admin restore /backups/innkeep-monday.tar --data /srv/innkeep-new",
    "innkeep admin restore /backups/innkeep-monday.tar --data /srv/innkeep-new --erasures /mnt/other/erasures.ndjson",
  ],
  "admin adopt": [
    "innkeep admin adopt --data /srv/innkeep-new --yes",
    "innkeep admin adopt --data /srv/innkeep-new --erasures /mnt/copies/erasures.ndjson --yes",
  ],

  doctor: ["innkeep doctor", "innkeep doctor --base-url https://inn.example.org --json"],
  completion: [
    "innkeep completion bash > ~/.local/share/bash-completion/completions/innkeep",
    "innkeep completion fish > ~/.config/fish/completions/innkeep.fish",
  ],
  api: [
    "innkeep api /api/v1/faqs/remote",
    "innkeep api /api/v1/console/audit --paginate",
    "innkeep api /api/v1/faqs/remote --input entry.json --include",
    'innkeep api /api/v1/faqs/remote --field question="How do I sync?" --field answer="Tap Sync."',
  ],
  open: ["innkeep open", "innkeep open 01a1fda4-237d-759b-ad89-7cf5663516dc"],
  mcp: [
    "innkeep mcp",
    "innkeep mcp --read-only --agent-token-file token.txt",
    "innkeep mcp --check",
    "innkeep mcp --setup",
    "innkeep mcp --setup cursor",
  ],
  help: ["innkeep help faq create", "innkeep help environment"],
};

const short = (words: string): string => words.replace("testing ", "");

const shortForms = Object.entries(all)
  .filter(([words]) => words.startsWith("testing ") && words !== "testing slot rotate-key")
  .map(([words, lines]) => [short(words), lines.map(short)]);

/** Examples, by the words of the command. `innkeep help …` shows them. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  ...all,
  ...Object.fromEntries(shortForms),
};
