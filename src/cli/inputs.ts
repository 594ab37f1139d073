type Env = Readonly<Record<string, string | undefined>>;

/** The inputs of a step of GitHub Actions that are not empty, by their names in lower case. */
export function inputsOf(env: Env): ReadonlyMap<string, string> {
  const given = Object.entries(env).flatMap(([variable, value = ""]): [string, string][] =>
    variable.startsWith(prefix) && value.trim() !== ""
      ? [[variable.slice(prefix.length).toLowerCase(), value.trim()]]
      : [],
  );
  return new Map(given);
}

const prefix = "INPUT_";

/** The variables of the command line that inputs stand for. What they hold must not become part of a command line. */
const variables: Readonly<Record<string, string>> = {
  "base-url": "INNKEEP_BASE_URL",
  "api-key": "INNKEEP_API_KEY",
  token: "INNKEEP_TOKEN",
  matrix: "INNKEEP_MATRIX",
};

/** The variables whose values no log may show. */
const secrets = ["INNKEEP_API_KEY", "INNKEEP_TOKEN"];

/** The inputs that are no flags of a command, or only of some commands, which then get a default. */
export const ownInputs: readonly string[] = ["command", "status", ...Object.keys(variables)];

/** The environment of the command: that of the step, and the inputs that stand for a variable. */
export const environmentOf = (env: Env, inputs: ReadonlyMap<string, string>): Env => ({
  ...env,
  ...Object.fromEntries(
    Object.entries(variables).flatMap(([name, variable]) => {
      const value = inputs.get(name);
      return value === undefined ? [] : [[variable, value]];
    }),
  ),
});

/** The lines of all secrets: a runner hides a text in its log only if it has been told each line of it. */
export const secretLines = (env: Env): string[] =>
  secrets
    .flatMap((name) => (env[name] ?? "").split(/\r?\n/))
    .map((line) => line.trim())
    .filter((line) => line !== "");
