import { request as ask, type ServerResponse } from "node:http";
import { listen } from "./recording-server.ts";

/**
 * Forwards every request to a server and every answer back, except the first answer: when it has arrived, `instead`
 * gets the response object in its place. Returns the address of the proxy.
 */
export function responseDroppingProxy(
  target: string,
  instead: (response: ServerResponse) => void,
): Promise<string> {
  let isFirst = true;
  return listen((request, response) => {
    const { method, url = "/", headers } = request;
    const onward = ask(new URL(url, target), { method, headers }, (answer) => {
      if (isFirst) answer.resume().on("end", () => instead(response));
      else answer.pipe(response.writeHead(answer.statusCode ?? 0, answer.headers));
      isFirst = false;
    });
    request.pipe(onward);
  });
}
