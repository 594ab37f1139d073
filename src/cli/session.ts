import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { commandAction, type Setup } from "./core/command.ts";
import { mutates, several } from "./core/flags.ts";
import { ofTestKey, type TestKeyFile } from "./test-key.ts";
import { type ReportFlags, reportSession, sessionStatus } from "./test-sessions.ts";

export function addSession(session: Command, setup: Setup): void {
  const report = mutates(session.command("report").description(routes.sessions.report.summary))
    .requiredOption("--started-at <instant>", "when it began: ISO 8601 with an offset, or Z")
    .requiredOption("--ended-at <instant>", "when it ended, in the same form")
    .option("--screen <name>", "a screen that it reached; repeatable", several)
    .option("--app-version <version>", "of the app that was tested");
  commandAction<ReportFlags>(ofTestKey(report), setup, reportSession);

  const status = session.command("status").description(routes.sessions.status.summary);
  commandAction<TestKeyFile>(ofTestKey(status), setup, sessionStatus);
}
