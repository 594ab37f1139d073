import type { CatchUp, Endpoint } from "../../src/contract/endpoint.ts";
import type { Deps } from "../deps.ts";
import { fieldOf } from "./field-of.ts";
import type { Request } from "./handler.ts";

type Identifying = Pick<Request, "caller"> & { readonly params: unknown; readonly body: unknown };

/** Makes the changes that are due in the test cycles of a request, if its endpoint declares which cycles those are. */
export async function catchUp(
  { catchesUp }: Endpoint,
  request: Identifying,
  { passingTime }: Pick<Deps, "passingTime">,
): Promise<void> {
  if (catchesUp) await passingTime.catchUpOf(catchesUp.of, idIn(request, catchesUp.by));
}

function idIn({ caller, params, body }: Identifying, by: CatchUp["by"]): string {
  if (by === "account") return caller && "userId" in caller ? caller.userId : "";
  const [part, name = ""] = by.split(".");
  return fieldOf(part === "params" ? params : body, name);
}
