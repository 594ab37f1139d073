import type { Service } from "../service/service.ts";
import { listOf, type TesterInCycle } from "./tester-in-running-cycle.ts";

/** A day of the tester's slot, as the owner sees it in the console. */
export async function evidenceOf(
  service: Service,
  { owner, cycle, slotId: id }: TesterInCycle,
  dayIndex = 1,
) {
  const headers = await service.signIn(owner);
  const answer = await service.request("GET", `/api/v1/console/cycles/${cycle.id}`, { headers });
  const slot = listOf(answer, "slots").find(({ slotId }) => slotId === id);
  return listOf({ body: slot }, "days").find((day) => day.dayIndex === dayIndex);
}

/** The addresses of the images of a day's proof. */
export function imagesOf(day: Record<string, unknown> | undefined): string[] {
  return listOf({ body: day?.proof }, "images").map((image) => Object.values(image).join(""));
}
