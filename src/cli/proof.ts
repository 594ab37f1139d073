import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { proofImages } from "../contract/limits.ts";
import {
  addExamples,
  commandAction,
  destroysHere,
  forTester,
  mutates,
  type Setup,
  several,
} from "./core/command.ts";
import type { SubmitFlags } from "./delivery/proof.ts";
import { rulesOf } from "./delivery/report.ts";
import type { ResendFlags } from "./delivery/send.ts";

export function addProof(proof: Command, given: Setup): void {
  const setup = forTester(given);
  const submit = mutates(proof.command("submit [slot]").description(routes.tester.submitProof.summary))
    .option("--image <file>", rulesOf(proofImages), several)
    .option("--note <text>", "a note for the owner of the app; `-` is standard input, `@file` a file")
    .option(
      "--captured-at <instant>",
      "when the pictures were taken; by default the time of the newest picture of today, or now",
    );
  addExamples(submit, 'innkeep proof submit 01a1fe67 --image screen.png --note "Sorted the list."');
  commandAction<SubmitFlags, string | undefined>(submit, setup, async (...given) =>
    (await import("./delivery/proof.ts")).submit(...given),
  );

  const resend = mutates(
    proof
      .command("resend [proof]")
      .description("Send proofs that did not arrive and were kept on this machine"),
  )
    .option("--list", "list the kept proofs")
    .option("--all", "send all kept proofs for this server");
  addExamples(resend, "innkeep proof resend --list", "innkeep proof resend --all");
  commandAction<ResendFlags, string | undefined>(resend, setup, async (invocation, flags, id) => {
    const { proofs } = await import("./delivery/proof.ts");
    return (await import("./delivery/send.ts")).resend(invocation, proofs, flags, id);
  });

  const discard = destroysHere(
    proof.command("discard <proof>").description("Delete a kept proof without sending it"),
  );
  addExamples(discard, "innkeep proof discard 01a1fda4-237d-759b-ad89-7cf5663516dc --yes");
  commandAction<object, string>(discard, setup, async (invocation, _, id) => {
    const { proofs } = await import("./delivery/proof.ts");
    return (await import("./delivery/send.ts")).discard(invocation, proofs, id);
  });
}
