import fc from "fast-check";
import { runSeed } from "./random-seed.ts";

fc.configureGlobal({ seed: runSeed });

/** fast-check with the seed of the run. Tests import it from here, so that INNKEEP_SEED repeats each of them. */
export { fc };
