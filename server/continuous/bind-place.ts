import { deploymentId } from "../store/deployment/deployment-id.ts";
import type { Database } from "../store/engine/database.ts";
import { MissingCopy, type Place } from "./places/place.ts";

const markName = "deployment";

/** The place holds the copies of another deployment. */
export class ForeignPlace extends Error {
  constructor() {
    super(
      "INNKEEP_CONTINUOUS_BACKUP names a place with the copies of another deployment. Set it to a folder of its own.",
    );
    this.name = "ForeignPlace";
  }
}

/**
 * Makes sure that the place belongs to this deployment, because a server deletes old copies. The first use notes the id of the
 * deployment there. Throws ForeignPlace.
 */
export async function bindCopies(place: Place, database: Database, newId: () => string): Promise<void> {
  const marked = await place.get(markName).then(String, (error) => {
    if (error instanceof MissingCopy) return undefined;
    throw error;
  });
  const id = await database.write(async (tx) => {
    const own = await deploymentId.find(tx);
    if (own !== undefined) return own;
    const made = newId();
    await deploymentId.insert(tx, made);
    return made;
  });
  if (marked === id) return;
  if (marked !== undefined) throw new ForeignPlace();
  await place.put(markName, Buffer.from(id));
}
