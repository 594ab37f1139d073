import { type Command, InvalidArgumentError } from "commander";
import { configFolder } from "../credentials/folders.ts";
import { usageError } from "./core/cli-error.ts";
import { addExamples, commandAction, type Setup } from "./core/command.ts";
import type { Context, Invocation } from "./core/context.ts";
import { confirm } from "./core/input.ts";
import { type Column, note, printList, printOne } from "./core/output.ts";
import {
  chosenProfile,
  consoleAddress,
  namedApp,
  openStore,
  type Profile,
  type ProfileKey,
  type Profiles,
  profileKeys,
  profilesFileName,
  readProfiles,
  webAddress,
} from "./core/settings.ts";
import { explainWriteFailure } from "./core/store-credential.ts";

/** Adds the commands for profiles. They change a file of this machine and send no request. */
export function addConfig(config: Command, setup: Setup): void {
  const list = config
    .command("list")
    .description("Show your profiles, and the settings that commands use here");
  addExamples(list, "innkeep config list");
  commandAction(list, setup, async (invocation) => listProfiles(invocation));

  const set = config
    .command("set")
    .description(
      "Set the server, the app or the console of a profile; creates the profile if it does not exist",
    )
    .argument("<key>", keyNames, keyOf)
    .argument("<value>", "the address, or the app's id or name");
  addExamples(
    set,
    "innkeep config set server https://feedback.example.com --profile work",
    "innkeep config set app Larder --profile work",
  );
  commandAction<object, ProfileKey>(set, setup, async (invocation, _, key) =>
    setInProfile(invocation, key, String(set.processedArgs[1])),
  );

  const unset = config
    .command("unset")
    .description("Remove a setting from a profile")
    .argument("<key>", keyNames, keyOf);
  addExamples(unset, "innkeep config unset app --profile work");
  commandAction<object, ProfileKey>(unset, setup, async (invocation, _, key) =>
    unsetInProfile(invocation, key),
  );

  const use = config
    .command("use")
    .description("Choose the profile that commands use from now on")
    .argument("<profile>", "the name of the profile; `none` chooses no profile");
  addExamples(use, "innkeep config use work");
  commandAction<object, string>(use, setup, async (invocation, _, name) => useProfile(invocation, name));

  const remove = config
    .command("delete")
    .alias("rm")
    .description("Delete a profile and the credentials that are stored for it")
    .argument("<profile>", "the name of the profile")
    .option("-y, --yes", "do not ask");
  addExamples(remove, "innkeep config delete work --yes");
  commandAction<object, string>(remove, setup, async (invocation, _, name) =>
    removeProfile(invocation, name),
  );
}

const keyNames = profileKeys.join(", ");

function keyOf(given: string): ProfileKey {
  const key = profileKeys.find((one) => one === given);
  if (key) return key;
  throw new InvalidArgumentError(`It must be one of ${keyNames}.`);
}

interface ProfileRow {
  readonly name: string;
  readonly server: string | null;
  readonly app: string | null;
  readonly console: string | null;
  /** Whether commands without `--profile` use this profile. */
  readonly current: boolean;
}

const columns: readonly Column<ProfileRow>[] = [
  { heading: "profile", of: ({ name, current }) => (current ? `${name} (current)` : name) },
  { heading: "server", of: ({ server }) => server },
  { heading: "app", of: ({ app }) => app },
  { heading: "console", of: ({ console }) => console },
];

/** Prints the profiles, and the server and app that a command would use now. */
async function listProfiles(invocation: Invocation): Promise<undefined> {
  const { current, profiles } = readProfiles(invocation.context);
  const items = Object.entries(profiles).map(([name, profile]) => rowOf(name, profile, current));
  const { address, from } = invocation.server();
  const app = namedApp(invocation) ?? null;
  note(invocation, `Commands go to ${address} (${from})${app === null ? "" : `, for the app ${app}`}.`);
  const extra = { server: address, serverFrom: from, app, console: consoleAddress(invocation) };
  printList(invocation, { items, columns, extra });
}

/** Sets one value in the selected profile. If no profile is selected, the profile is `default`. */
async function setInProfile(invocation: Invocation, key: ProfileKey, given: string): Promise<undefined> {
  const value = key === "app" ? given.trim() : webAddress(given, `The ${key}`);
  if (value === "")
    throw usageError("The value of `app` must not be empty.", "`innkeep config unset app` removes it.");
  await change(invocation, (profile) => ({ ...profile, [key]: value }));
}

/** Removes one value from the profile that `setInProfile` would change. */
async function unsetInProfile(invocation: Invocation, key: ProfileKey): Promise<undefined> {
  await change(invocation, ({ [key]: _, ...rest }) => rest);
}

/** Chooses the profile for all commands without `--profile`. With the name `none`, no profile is chosen. */
async function useProfile(invocation: Invocation, name: string): Promise<undefined> {
  const { context } = invocation;
  if (name === "none") {
    await update(context, ({ profiles }) => ({ profiles }));
    printOne(invocation, { current: null }, () => "No profile is chosen.");
    return;
  }
  const { profile } = await update(context, ({ profiles }) => ({
    ...profileNamed(context, name),
    current: name,
    profiles,
  }));
  printOne(invocation, rowOf(name, profile, name), () => `Commands use the profile ${name} now.`);
}

/** Asks the person, and then deletes a profile and its credentials. */
async function removeProfile(invocation: Invocation, name: string): Promise<undefined> {
  const { context } = invocation;
  profileNamed(context, name);
  await confirm(invocation, `Delete the profile ${name} and its credentials?`);
  const removed = await removeCredentials(context, name);
  await update(context, ({ current, profiles: { [name]: _, ...profiles } }) => ({
    profiles,
    ...(current !== undefined && current !== name && { current }),
  }));
  printOne(invocation, { name, deleted: true, credentials: removed }, () => `Deleted the profile ${name}.`);
}

async function removeCredentials(context: Context, name: string): Promise<number> {
  const store = openStore(context);
  let removed = 0;
  for (const [origin, kinds] of Object.entries(store.index()))
    for (const kind of Object.keys(kinds))
      if (kind.endsWith(`#${name}`) && (await store.remove({ origin, kind }))) removed += 1;
  return removed;
}

async function change(invocation: Invocation, edit: (profile: Profile) => Profile): Promise<void> {
  const { context, flags } = invocation;
  const { current, name, profile } = await update(context, ({ current, profiles }) => {
    const name = flags.profile || context.env.INNKEEP_PROFILE || current || "default";
    if (!/^[\w.-]{1,50}$/.test(name) || name === "none")
      throw usageError(`"${name}" cannot be the name of a profile.`, "Use letters, digits, dots and dashes.");
    const profile = edit((Object.hasOwn(profiles, name) && profiles[name]) || {});
    const isFirst = Object.keys(profiles).length === 0;
    const next = Object.fromEntries([...Object.entries(profiles), [name, profile]]);
    return { current: isFirst ? name : current, profiles: next, name, profile };
  });
  printOne(invocation, rowOf(name, profile, current), () => `Changed the profile ${name}.`);
}

/** Returns the profile `name`. Throws a usage error if `name` is empty or no profile has this name. */
const profileNamed = (context: Context, name: string) => {
  const found = name === "" ? undefined : chosenProfile(context, { profile: name });
  if (found) return found;
  throw usageError("The name of the profile is empty.");
};

/**
 * Changes the profiles and returns the result of `edit`. Other processes that change profiles wait during this time.
 */
async function update<Changed extends Profiles>(
  context: Context,
  edit: (before: Profiles) => Changed,
): Promise<Changed> {
  const folder = configFolder(context);
  const [{ writeSettings }, { inTurn }] = await Promise.all([
    import("../credentials/conf.lazy.ts"),
    import("../credentials/folder-turn.ts"),
  ]);
  return explainWriteFailure(context, () =>
    inTurn(folder, () => {
      const changed = edit(readProfiles(context));
      const { current, profiles } = changed;
      writeSettings(
        { folder, name: profilesFileName },
        { ...(current !== undefined && { current }), profiles },
      );
      return changed;
    }),
  );
}

const rowOf = (name: string, profile: Profile, current: string | undefined): ProfileRow => ({
  name,
  server: profile.server ?? null,
  app: profile.app ?? null,
  console: profile.console ?? null,
  current: name === current,
});
