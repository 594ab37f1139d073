/** What we use of undici. The build puts only this into a file of its own, because undici is large and slow to load. */
export { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
