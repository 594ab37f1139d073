/** What we use of undici. The build puts it into a file of its own, because it is slow to load. */
export { Agent, type Dispatcher, EnvHttpProxyAgent, Pool, request } from "undici";
