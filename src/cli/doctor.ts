import type { Command } from "commander";
import { commandAction, type Setup } from "./core/command.ts";

export function addDoctor(doctor: Command, setup: Setup): void {
  doctor.addHelpText(
    "after",
    "\nIt sends only requests that change nothing, and shows no secret. The exit is 1 if something does not work;\nwarnings do not count.",
  );
  commandAction(doctor, setup, async (invocation) =>
    (await import("./doctor/examine.ts")).examine(invocation),
  );
}
