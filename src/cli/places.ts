import { type Argument, type Command, Help, type Option } from "commander";
import { choicesOf, choicesOfArgument } from "./core/fixed-values.ts";
import { type Listing, listedArguments, listedFlags } from "./core/listed-values.ts";

/** A word to complete, with its meaning. */
export interface Word {
  readonly word: string;
  readonly meaning: string;
}

/** What may stand as a value: words, the names of files, or what a command lists. */
export type Values =
  | { readonly words: readonly string[] }
  | { readonly files: true }
  | { readonly listing: Listing };

/** A flag; `values` only if it takes a value that can be completed. */
export interface Flag extends Word {
  readonly takesValue: boolean;
  readonly values?: Values | undefined;
}

/** A word of the next place, and other names for it. */
interface Step {
  readonly word: string;
  readonly aliases: readonly string[];
}

/** A point in a command line: the words of a command so far, and what may follow them. */
export interface Place {
  /** The words, with slashes: `faq/list`. Empty for the start. */
  readonly path: string;
  /** The words that may follow, as help lists them. */
  readonly next: readonly Word[];
  /** All words that lead on from here: also other names, and commands that help does not list. */
  readonly steps: readonly Step[];
  readonly flags: readonly Flag[];
  /** What the arguments may be. */
  readonly argument?: Values | undefined;
}

/** Every place of the tree of commands. */
export function placesOf(program: Command): Place[] {
  const common = [...flagsOf(program), helpFlag, { ...versionFlag }];
  return [placeOf(program, "", common), ...program.commands.flatMap((one) => below(one, "", common))];
}

const helpFlag: Flag = { word: "--help", meaning: "display help for the command", takesValue: false };
const versionFlag: Flag = { word: "--version", meaning: "show the version", takesValue: false };

function below(command: Command, before: string, common: readonly Flag[]): Place[] {
  const path = before === "" ? command.name() : `${before}/${command.name()}`;
  const own = [...flagsOf(command), ...common.filter(({ word }) => word !== "--version")];
  return [placeOf(command, path, own), ...command.commands.flatMap((one) => below(one, path, common))];
}

const placeOf = (command: Command, path: string, flags: readonly Flag[]): Place => ({
  path,
  next: new Help().visibleCommands(command).map((one) => ({
    word: one.name(),
    meaning: one.description(),
  })),
  steps: command.commands.map((one) => ({ word: one.name(), aliases: one.aliases() })),
  flags,
  argument: argumentOf(command.registeredArguments[0], path),
});

const flagsOf = (command: Command): Flag[] =>
  command.options
    .filter(({ hidden, long }) => !hidden && long)
    .map((option) => ({
      word: option.long ?? "",
      meaning: option.description,
      takesValue: option.required || option.optional,
      values: option.required || option.optional ? valuesOf(option) : undefined,
    }));

const isFile = (text: string): boolean => /<(file|folder|path)/.test(text);

function valuesOf(option: Option): Values | undefined {
  const words = choicesOf(option);
  if (words) return { words };
  const listing = listedFlags[option.long ?? ""];
  if (listing) return { listing };
  return isFile(option.flags) ? { files: true } : undefined;
}

function argumentOf(argument: Argument | undefined, path: string): Values | undefined {
  if (!argument) return undefined;
  const listing = listedArguments[path.replaceAll("/", " ")];
  if (listing) return { listing };
  const words = choicesOfArgument(argument);
  if (words) return { words };
  return isFile(`<${argument.name()}`) || argument.name() === "command" ? { files: true } : undefined;
}
