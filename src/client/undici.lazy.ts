/**
 * The parts of undici that we use. The build puts only these parts into a separate file, because undici is large and
 * loads slowly.
 */
export { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
