import type { Command } from "commander";
import { routes } from "../../client/routes.ts";
import { mutates } from "../flags.ts";
import { forTester, onRun, type Setup } from "../on-run.ts";
import { listSlots, requestSlot, rotateKey, type SlotFlags } from "../tester/slots.ts";
import { withTestKeys } from "../tester/test-keys.ts";

export function addSlot(slot: Command, given: Setup): void {
  const setup = forTester(given);
  const list = withTestKeys(slot.command("list").alias("ls").description(routes.tester.slots.summary)).option(
    "--open",
    "the tests that have seats to be had, instead",
  );
  onRun<SlotFlags>(list, setup, listSlots);

  const request = mutates(
    slot.command("request <slot>").description(`${routes.tester.requestSlot.summary}; its owner decides`),
  );
  onRun<SlotFlags, string>(request, setup, requestSlot);

  const rotate = mutates(slot.command("rotate-key [slot]").description(routes.tester.rotateKey.summary));
  onRun<SlotFlags, string | undefined>(withTestKeys(rotate), setup, rotateKey);
}
