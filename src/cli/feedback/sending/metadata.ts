import type { Checked, InputFault } from "../../core/input/input-fault.ts";

/** The object of all `--metadata key=text` and `--metadata key:=json`; a later value wins. */
export function metadataOf(given: readonly string[]): Checked<Record<string, unknown>> {
  const pairs = given.map(pairOf);
  return {
    value: Object.fromEntries(pairs.flatMap((pair) => ("entry" in pair ? [pair.entry] : []))),
    faults: pairs.flatMap((pair) => ("fault" in pair ? [pair.fault] : [])),
  };
}

type Pair = { readonly entry: readonly [string, unknown] } | { readonly fault: InputFault };

function pairOf(given: string): Pair {
  const at = given.indexOf("=");
  const typed = given[at - 1] === ":";
  const key = given.slice(0, typed ? at - 1 : Math.max(0, at)).trim();
  if (key === "") return { fault: fault(given, "must be key=text or key:=json") };
  const value = given.slice(at + 1);
  if (!typed) return { entry: [key, value] };
  try {
    return { entry: [key, JSON.parse(value)] };
  } catch {
    return { fault: fault(key, "must be well-formed JSON after `:=`") };
  }
}

const fault = (what: string, message: string): InputFault => ({ flag: `--metadata ${what}`, message });
