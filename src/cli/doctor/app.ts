import { appIdOf, isId, reachableApps } from "../core/app-id.ts";
import type { Invocation } from "../core/context.ts";
import { namedApp } from "../core/server-address.ts";
import { type Finding, failure, faultOf, ok, warning } from "./finding.ts";

/** The app that a maintainer's commands mean. Only a maintainer token can be asked for it. */
export async function checkApp(invocation: Invocation): Promise<Finding[]> {
  if (!(await invocation.credential("maintainerToken").catch(() => undefined))) return [];
  const wanted = namedApp(invocation);
  const next = "Name one with --app, INNKEEP_APP or `innkeep config set app NAME`.";
  try {
    const apps = await reachableApps(invocation);
    const id = await appIdOf(invocation);
    const app = apps.find((one) => one.id === id.toLowerCase());
    if (app) return [ok("app", `Commands are for the app ${app.name}.`)];
    const what = `The app ${wanted} is not one that this token reaches.`;
    return [failure("app", { what, why: "Commands for it are refused.", next })];
  } catch (error) {
    const why = "Commands of a maintainer do not know which app is meant.";
    const fault = faultOf(error, { why, next });
    return [(wanted === undefined || isId(wanted) ? warning : failure)("app", fault)];
  }
}
