// The server of `dev exec`. Tests wait for it at each start, so it caches its compiled code.
import { keepCompiledCode } from "./compiled-code.ts";

keepCompiledCode();
void import("./server.ts").then(({ throwaway }) => throwaway());
