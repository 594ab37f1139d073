import { startServerProcess } from "../../../src/local/server-process.ts";

// Starts the server in the file `SERVER`, stops it, and prints a line when it has stopped.
startServerProcess({ program: process.env.SERVER ?? "", environment: process.env })
  .then((server) => server.stop())
  .then(() => process.stdout.write("stopped\n"));
