import { type Command, Option } from "commander";
import type { DatabaseChoice } from "../programs.ts";
import { administer, group, onDatabase } from "./core/administer.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { confirm } from "./core/confirm.ts";

interface MoveFlags extends DatabaseChoice {
  readonly to: "folder" | "s3";
}

export function addFiles(admin: Command, setup: Setup): void {
  const move = onDatabase(group(admin, "files", "The uploaded files").command("move"))
    .description("Move all files between the data folder and the store of INNKEEP_S3_URL")
    .addOption(new Option("--to <place>", "where to").choices(["s3", "folder"]).makeOptionMandatory())
    .option("-y, --yes", "do not ask");
  commandAction<MoveFlags>(move, setup, async (invocation, { to, ...flags }) => {
    await confirm(
      invocation,
      "Move all files, and delete them where they are? Stop all servers of this database first.",
    );
    return administer(invocation, flags, { command: "files move", to });
  });
}
