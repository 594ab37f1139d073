// Tests wait for this program each time they start one.
import { keepCompiledCode } from "./compiled-code.ts";

keepCompiledCode();
void import("./server.ts").then(({ throwaway }) => throwaway());
