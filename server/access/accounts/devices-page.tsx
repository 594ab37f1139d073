import { type Device, devices } from "../../../src/contract/devices.ts";
import { type Definitions, defineForm, definePage } from "../../console/definitions.ts";
import { IdempotencyField } from "../../console/forms.tsx";
import { InTurns } from "../../console/in-turns.tsx";
import { ConsolePage } from "../../console/layout.tsx";
import { navigationOf } from "../../console/navigation.ts";
import { Empty, Line } from "../../console/parts.tsx";
import { goTo, type Reply, show } from "../../console/respond.ts";
import { Ago, LastUse, Timestamp } from "../../console/times.tsx";
import type { SignedInVisit } from "../../console/visit.ts";

/** Shows the phones and terminals with which a person tests apps. */
async function showDevices(visit: SignedInVisit): Promise<Reply> {
  const navigation = await navigationOf(visit);
  const { items } = await visit.ask(devices.list);
  return show(
    <ConsolePage navigation={navigation} title="Devices" narrow>
      <div class="head">
        <div>
          <h1>Devices</h1>
          <p>
            The phones and terminals that you have signed in to test apps. They see your tests and send your
            proofs. They have no other access to your account.
          </p>
        </div>
      </div>
      {items.length === 0 ? (
        <Empty title="No device is signed in">
          <p>
            The app for testers, or the command <code>innkeep auth login</code>, opens a page on which you
            approve the device.
          </p>
        </Empty>
      ) : (
        <ul class="list">
          <InTurns>
            {items.map((device) => (
              <DeviceLine
                key={device.id}
                device={device}
                now={visit.now}
                action={visit.links.device(device.id, "sign-out")}
              />
            ))}
          </InTurns>
        </ul>
      )}
    </ConsolePage>,
  );
}

const DeviceLine = ({
  device,
  now,
  action,
}: {
  readonly device: Device;
  readonly now: Date;
  readonly action: string;
}) => (
  <li>
    <div class="row spread">
      <b>
        <Line text={device.name} />
      </b>
      <code>{device.prefix}…</code>
    </div>
    <p class="under">
      <span>
        signed in <Ago at={device.createdAt} now={now} />
      </span>
      <LastUse at={device.lastUsedAt} now={now} />
      <span>
        until <Timestamp at={device.expiresAt} />
      </span>
    </p>
    <details class="reveal">
      <summary>Sign out</summary>
      <form class="stack" method="post" action={action}>
        <p>
          The device loses access at once. Days of a test that were counted are not lost. You can sign the
          device in again at any time.
        </p>
        <IdempotencyField />
        <div class="actions">
          <button class="danger" type="submit">
            Sign this device out
          </button>
        </div>
      </form>
    </details>
  </li>
);

async function signDeviceOut({
  ask,
  fields,
  links,
  param,
}: SignedInVisit): Promise<Reply<"device-signed-out">> {
  await ask(devices.remove, {
    params: { deviceId: param("deviceId") },
    idempotencyKey: fields.idempotencyKey,
  });
  return goTo(links.devices, "device-signed-out");
}

const devicesPage = definePage({
  at: (links) => links.devices,
  needs: "account",
  show: showDevices,
});

export const definitions: Definitions = [
  devicesPage,
  defineForm({
    at: (links) => links.device(":deviceId", "sign-out"),
    page: devicesPage,
    act: signDeviceOut,
    done: { "device-signed-out": "The device is signed out. Its token no longer works." },
    word: "signDeviceOut",
    notDone: "The device was not signed out.",
  }),
];
