import type { Command } from "commander";
import { routes } from "../client/routes.ts";
import { commandAction, forTester, type Setup } from "./core/command.ts";
import { mutates } from "./core/flags.ts";
import { listSlots, requestSlot, rotateKey, type SlotFlags } from "./tester-slots.ts";
import { withTestKeys } from "./testing/omit-test-key.ts";
import { addSlotDecisions } from "./testing.ts";

const whose = `
These are for testers, with the device token of \`innkeep auth login\`. What the owner of a test does, with a maintainer token,
is \`innkeep testing slot\`; it may be called here, too.`;

export function addSlot(slot: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(slot.command("list").alias("ls").description(routes.tester.slots.summary)).option(
    "--open",
    "the tests that have open slots, instead",
  );
  commandAction<SlotFlags>(list, setup, listSlots);

  const request = mutates(
    slot.command("request <slot>").description(`${routes.tester.requestSlot.summary}; its owner decides`),
  );
  commandAction<SlotFlags, string>(request, setup, requestSlot);

  const rotate = mutates(slot.command("rotate-key [slot]").description(routes.tester.rotateKey.summary));
  commandAction<SlotFlags, string | undefined>(withTestKeys(rotate), setup, rotateKey);

  addSlotDecisions(slot, given, { hidden: true });
  slot.addHelpText("after", whose);
}
