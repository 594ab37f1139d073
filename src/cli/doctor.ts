import type { Command } from "commander";
import { commandAction, type Setup } from "./core/command.ts";
import { addExamples } from "./core/help.ts";

export function addDoctor(doctor: Command, setup: Setup): void {
  doctor.addHelpText(
    "after",
    "\nThe command sends only requests that change nothing, and shows no secret. The exit code is 1 if a check fails.\nWarnings do not change the exit code.",
  );
  addExamples(doctor, "innkeep doctor", "innkeep doctor --base-url https://inn.example.org --json");
  commandAction(doctor, setup, async (invocation) =>
    (await import("./doctor/examine.ts")).examine(invocation),
  );
}
