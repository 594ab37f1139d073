import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { proofImages } from "../contract/limits.ts";
import { commandAction, forTester, type Setup } from "./core/command.ts";
import { destroysHere, mutates, several } from "./core/flags.ts";
import { rulesIn } from "./delivery/file-kinds.ts";
import type { ResendFlags } from "./delivery/resend-proof.ts";
import type { SubmitFlags } from "./delivery/send-proof.ts";

export function addProof(proof: Command, given: Setup): void {
  const setup = forTester(given);
  const submit = mutates(proof.command("submit [slot]").description(routes.tester.submitProof.summary))
    .option("--image <file>", rulesIn(proofImages), several)
    .option("--note <text>", "a note for the owner of the app; `-` is standard input, `@file` a file")
    .option("--captured-at <instant>", "when the pictures were taken; by the newest of them, or now");
  commandAction<SubmitFlags, string | undefined>(submit, setup, async (...given) =>
    (await import("./delivery/send-proof.ts")).submit(...given),
  );

  const resend = mutates(
    proof.command("resend [proof]").description("Send proofs that were kept because they did not arrive"),
  )
    .option("--list", "show what is kept")
    .option("--all", "send all that is kept for this server");
  commandAction<ResendFlags, string | undefined>(resend, setup, async (...given) =>
    (await import("./delivery/resend-proof.ts")).resend(...given),
  );

  const discard = destroysHere(
    proof.command("discard <proof>").description("Drop a kept proof without sending it"),
  );
  commandAction<object, string>(discard, setup, async (...given) =>
    (await import("./delivery/resend-proof.ts")).discard(...given),
  );
}
