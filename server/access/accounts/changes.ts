import type { Transaction } from "../../database/database.ts";
import type { Deps } from "../../deps.ts";
import type { ConsoleCaller } from "../../http/handler.ts";
import { createAuditWriter } from "../audit/record.ts";
import { users } from "./store.ts";

/** Creates a function that changes the name of an account. The audit does not contain the name. (rule K33) */
export function createNameChange(deps: Pick<Deps, "clock" | "newId">) {
  const record = createAuditWriter(deps);
  return async (
    tx: Transaction,
    {
      caller,
      address,
    }: {
      readonly caller: Pick<ConsoleCaller, "kind" | "id" | "userId" | "email">;
      readonly address: string;
    },
    name: string | null,
  ): Promise<void> => {
    const { userId: target } = caller;
    if (!(await users.changeName(tx, target, name))) return;
    const changes = [{ field: "name" }];
    await record(tx, { caller, address }, { action: "user.name", target, changes });
  };
}
