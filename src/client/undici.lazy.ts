/**
 * The parts of undici that we use. The build puts only these into a separate file, because undici is large and slow to
 * load.
 */
export { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
