// Starts the server of `dev exec`. The compiled code is cached, because tests wait for each start.
import { keepCompiledCode } from "./compiled-code.ts";

keepCompiledCode();
void import("./server.ts").then(({ throwaway }) => throwaway());
