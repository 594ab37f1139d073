import { type Command, Option } from "commander";
import { commandAction, type Setup } from "./core/command.ts";
import { mutates } from "./core/flags.ts";
import { addExamples } from "./core/help.ts";
import type { InitFlags } from "./init/project.ts";

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
      ).choices(services),
    )
    .option("-y, --yes", "replace an innkeep.json that has other content, without asking")
    .addHelpText("after", notes);
  addExamples(
    init,
    "innkeep init",
    "innkeep init --server https://inn.example.org --app Larder --api-key-file - --store --send < key.txt",
    "innkeep init --server https://inn.example.org --ci gitlab --dry-run",
  );
  commandAction<InitFlags>(init, setup, async (invocation, flags) =>
    (await import("./init/project.ts")).init(invocation, flags),
  );
}

const services = ["github", "gitlab", "circleci", "jenkins", "shell", "none"] as const;

const notes = `
Writes innkeep.json into this folder. The file contains the server and the app, but no secret. The app key comes from
--api-key-file, INNKEEP_API_KEY or a stored credential; otherwise you are asked for it. The server must accept the key
before anything is written. The lines for your CI service are printed to standard output.`;
