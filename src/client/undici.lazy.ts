/** The used parts of undici. The build puts them into a separate file, because undici loads slowly. */
export { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";
