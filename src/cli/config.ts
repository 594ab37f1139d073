import { type Command, InvalidArgumentError } from "commander";
import { commandAction, type Setup } from "./core/command.ts";
import { type ProfileKey, profileKeys } from "./core/settings.ts";

const work = () => import("./profiles.ts");

/** The commands of profiles. They change a file of this machine and ask no server. */
export function addConfig(config: Command, setup: Setup): void {
  const list = config.command("list").description("Show your profiles, and which settings count here");
  commandAction(list, setup, async (invocation) => (await work()).list(invocation));

  const set = config
    .command("set")
    .description("Set the server, the app or the console of a profile; makes the profile if it is new")
    .argument("<key>", keyNames, keyOf)
    .argument("<value>", "the address, or the app's id or name");
  commandAction<object, ProfileKey>(set, setup, async (invocation, _, key) =>
    (await work()).set(invocation, key, String(set.processedArgs[1])),
  );

  const unset = config
    .command("unset")
    .description("Remove a setting from a profile")
    .argument("<key>", keyNames, keyOf);
  commandAction<object, ProfileKey>(unset, setup, async (invocation, _, key) =>
    (await work()).unset(invocation, key),
  );

  const use = config
    .command("use")
    .description("Choose the profile that commands use from now on")
    .argument("<profile>", "its name; `none` chooses no profile");
  commandAction<object, string>(use, setup, async (invocation, _, name) =>
    (await work()).use(invocation, name),
  );

  const remove = config
    .command("delete")
    .alias("rm")
    .description("Delete a profile and the credentials that are stored for it")
    .argument("<profile>", "its name")
    .option("-y, --yes", "do not ask");
  commandAction<object, string>(remove, setup, async (invocation, _, name) =>
    (await work()).remove(invocation, name),
  );
}

const keyNames = profileKeys.join(", ");

function keyOf(given: string): ProfileKey {
  const key = profileKeys.find((one) => one === given);
  if (key) return key;
  throw new InvalidArgumentError(`It is one of ${keyNames}.`);
}
